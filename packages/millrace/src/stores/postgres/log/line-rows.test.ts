import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_ROW_LINES, readLines, toRows, writeLines } from './encode-group.ts'

const isSame = (a: Uint8Array, b = new Uint8Array(0)): boolean => Buffer.compare(a, b) === 0

test('lines are restored from their rows, from every cursor', () => {
  const line = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat({ max: 70_000 }).map((length) => new Uint8Array(length).fill(length % 256)),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat({ max: 12 }), (lines, after) => {
      const rows = toRows(lines)
      const found = rows.flatMap((row) => {
        const body = Buffer.alloc(row.bytes)
        expect(writeLines(body, 0, lines, row)).toBe(row.bytes)
        return readLines(body, row.first, after, 10)
      })
      const expected = lines.slice(after, 10)
      expect(found.map(({ id }) => id)).toEqual(expected.map((_, n) => after + n + 1))
      expect(found.every(({ line: bytes }, n) => isSame(bytes, expected[n]))).toBe(true)
    }),
  )
})

test('rows follow each other, and none has too many lines', () => {
  const lines = Array.from({ length: 3 * MAX_ROW_LINES + 1 }, () => new Uint8Array(1))
  expect(toRows(lines).map(({ first, last }) => [first, last])).toEqual([
    [1, MAX_ROW_LINES],
    [MAX_ROW_LINES + 1, 2 * MAX_ROW_LINES],
    [2 * MAX_ROW_LINES + 1, 3 * MAX_ROW_LINES],
    [3 * MAX_ROW_LINES + 1, 3 * MAX_ROW_LINES + 1],
  ])
  expect(toRows([])).toEqual([])
})
