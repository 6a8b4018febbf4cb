import { expect, test } from 'vitest'
import { cut } from './truncate.ts'

test('a text that is too long is cut, between characters', () => {
  expect(cut('mill', 4)).toBe('mill')
  expect(cut('mills', 4)).toBe('mill…')
  expect(cut('mil😀s', 4)).toBe('mil…')
  expect(cut('mi😀s', 4)).toBe('mi😀…')
})
