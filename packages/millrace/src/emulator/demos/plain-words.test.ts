import { expect, test } from 'vitest'
import { toPlainWords } from './plain-words.ts'

test('words become one short line in which nothing is markup', () => {
  expect(toPlainWords('  Only\n\tLisbon, please ', 40)).toBe('Only Lisbon, please')
  expect(toPlainWords('`a` *b* [c](d) <e>', 40)).toBe(String.raw`\`a\` \*b\* \[c\](d) \<e\>`)
  expect(toPlainWords('a\u202Eb\u0000c', 40)).toBe('a b c')
  expect(toPlainWords('🙂🙂🙂', 2)).toBe('🙂🙂…')
  expect(toPlainWords('abc', 3)).toBe('abc')
  expect(toPlainWords('x '.repeat(1000), 5)).toBe('x x x…')
})
