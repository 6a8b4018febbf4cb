import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemberFilter, removeMembers } from './member-filter.ts'

const names = ['a', 'b', 'message_history', 'ü"\\', '']
const hidden = fc.subarray(names).map((list) => new Set(list))
const object = fc.dictionary(fc.constantFrom(...names, 'c', 'd,e', '{'), fc.jsonValue(), {
  maxKeys: 6,
})
const payload = fc.oneof(object, fc.array(fc.oneof(object, fc.jsonValue()), { maxLength: 5 }))

const without = (value: unknown, gone: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? strip(item, gone) : item))
  return isObject(value) ? strip(value, gone) : value
}
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const strip = (value: object, gone: ReadonlySet<string>): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name)))

test('[LOG-9] yields the JSON without the members, for every split', () => {
  fc.assert(
    fc.property(payload, hidden, fc.array(fc.nat(300)), fc.boolean(), (value, gone, cuts, wide) => {
      const json = JSON.stringify(value, null, wide ? 1 : 0)
      const at = [0, ...cuts.filter((cut) => cut < json.length).sort((x, y) => x - y), json.length]
      const pieces = at.slice(1).map((end, index) => json.slice(at[index], end))
      const filter = new MemberFilter(gone)
      const kept = [...pieces.flatMap((piece) => filter.feed(piece)), ...filter.finish()]
      expect(JSON.parse(kept.join(''))).toEqual(JSON.parse(JSON.stringify(without(value, gone))))
      expect(kept).toHaveLength(pieces.length)
      kept.forEach((text, index) =>
        expect(text.length).toBeLessThanOrEqual(pieces[index]?.length ?? 0),
      )
    }),
  )
})

test.each([
  ['{"a":1,"b":{"a":2}}', '{"b":{"a":2}}'],
  ['{"b":1,"a":[1,{"c":2}]}', '{"b":1}'],
  ['{"a":"}"}', '{}'],
  ['[{"a":1,"b":12345678901234567890},{"a":2}]', '[{"b":12345678901234567890},{}]'],
  ['{"\\u0061":1}', '{}'],
  ['[[1,"a",{"a":1}],"a"]', '[[1,"a",{"a":1}],"a"]'],
  ['  {"b":1e400}', '  {"b":1e400}'],
])('removes members from %s, and leaves the rest unchanged', (json, expected) => {
  expect(removeMembers(json, new Set(['a']))).toBe(expected)
})

test('[LOG-9] drops text with an unknown beginning, and members with an incomplete name', () => {
  expect(removeMembers('lost":1,"b":[{"c":2}]}', new Set(['a']))).toBe('')
  expect(removeMembers('{"b":1,"a', new Set(['a']))).toBe('{"b":1')
})
