import { expect, test } from 'vitest'
import { findSuspiciousChanges } from './find-suspicious-changes.ts'

test('reports removed and added names and values of another type', () => {
  expect(findSuspiciousChanges({ path: 'a', lines: 3 }, { path: 5, line: 3 })).toEqual([
    '“lines” is missing. The tool may not run without it.',
    '“line” is new. The tool may not know it.',
    '“path” was text and is now a number.',
  ])
})

test('does not report other values of the same type', () => {
  expect(findSuspiciousChanges({ path: 'a', tags: ['x'] }, { path: 'b', tags: [] })).toEqual([])
  expect(findSuspiciousChanges(undefined, { path: 'b' })).toEqual([])
})
