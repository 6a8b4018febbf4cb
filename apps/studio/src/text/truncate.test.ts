import { expect, test } from 'vitest'
import { truncate } from './truncate.ts'

test('a text that is too long is truncated between characters', () => {
  expect(truncate('mill', 4)).toBe('mill')
  expect(truncate('mills', 4)).toBe('mill…')
  expect(truncate('mil😀s', 4)).toBe('mil…')
  expect(truncate('mi😀s', 4)).toBe('mi😀…')
})
