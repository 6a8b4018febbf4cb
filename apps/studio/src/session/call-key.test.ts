import { expect, test } from 'vitest'
import { toCallKey } from './call-key.ts'

test('each call of each agent has a key of its own, whatever is in the names', () => {
  const names = ['a', 'a b', 'b', '', '","', '__proto__']
  const keys = names.flatMap((agent) => names.map((id) => toCallKey(agent, id)))
  expect(new Set(keys).size).toBe(names.length ** 2)
})
