import { expect, test } from 'vitest'
import { createSessionId } from './session-id.ts'

test('an id is a random UUID of version 4', () => {
  const ids = Array.from({ length: 1_000 }, createSessionId)
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  for (const id of ids) expect(id).toMatch(pattern)
  expect(new Set(ids).size).toBe(ids.length)
})
