import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameTools } from './mount-mcp.ts'

const anyNames = fc.uniqueArray(
  fc.oneof(
    fc.string(),
    fc.string({ minLength: 60, maxLength: 200 }),
    fc.constantFrom('a.b', 'a_b', 'a-b', 'a b', 'a/b', 'ä', ''),
  ),
)

test('converts any names to unique ones that model APIs accept', () => {
  fc.assert(
    fc.property(fc.string(), anyNames, (server, tools) => {
      const names = nameTools(server, tools)
      expect([...names.keys()]).toEqual(tools)
      expect(new Set(names.values()).size).toBe(tools.length)
      for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    }),
  )
})

test('keeps a valid name regardless of the names before it', () => {
  expect([...nameTools('s', ['a.b', 'a_b', 'a b'])]).toEqual([
    ['a.b', 's__a_b_2'],
    ['a_b', 's__a_b'],
    ['a b', 's__a_b_3'],
  ])
  const long = 'x'.repeat(80)
  const [first, second] = nameTools('s', [`${long}1`, `${long}2`]).values()
  expect(first).toBe(`s__${'x'.repeat(61)}`)
  expect(second).toBe(`s__${'x'.repeat(59)}_2`)
})
