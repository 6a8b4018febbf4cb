import { expect, test } from 'vitest'
import { toPlainLine } from './tools/sent-files.ts'

test('converts text to one short line without markup', () => {
  expect(toPlainLine('  Only\n\tLisbon, please ', 40)).toBe('Only Lisbon, please')
  expect(toPlainLine('`a` *b* [c](d) <e>', 40)).toBe(String.raw`\`a\` \*b\* \[c\](d) \<e\>`)
  expect(toPlainLine('a\u202Eb\u0000c', 40)).toBe('a b c')
  expect(toPlainLine('🙂🙂🙂', 2)).toBe('🙂🙂…')
  expect(toPlainLine('abc', 3)).toBe('abc')
  expect(toPlainLine('x '.repeat(1000), 5)).toBe('x x x…')
})
