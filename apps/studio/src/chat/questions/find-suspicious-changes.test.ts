import { expect, test } from 'vitest'
import { findSuspiciousChanges } from './find-suspicious-changes.ts'

test('names that are gone or new and values of another kind are told', () => {
  expect(findSuspiciousChanges({ path: 'a', lines: 3 }, { path: 5, line: 3 })).toEqual([
    '“lines” is gone. The tool may not run without it.',
    '“line” is new. The tool may not know it.',
    '“path” was text and is now a number.',
  ])
})

test('other values of the same kind are not', () => {
  expect(findSuspiciousChanges({ path: 'a', tags: ['x'] }, { path: 'b', tags: [] })).toEqual([])
  expect(findSuspiciousChanges(undefined, { path: 'b' })).toEqual([])
})
