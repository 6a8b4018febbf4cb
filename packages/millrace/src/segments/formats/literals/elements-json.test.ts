import { expect, test } from 'vitest'
import { toElementsJson } from '../tags/minimax-m3.ts'

const toJson = (text: string): string | undefined => toElementsJson(text, '!', 4)

test.each([
  ['!<a>1!</a>', '{"a":"1"}'],
  [' \n!<a>!<b>x<y!</b>!</a>\n', '{"a":{"b":"x<y"}}'],
  ['!<item>1!</item>!<item>2!</item>', '["1","2"]'],
  ['!<item>1!</item>', '["1"]'],
  ['!<a>1!</a>!<b>2!</b>!<a>3!</a>', '{"a":["1","3"],"b":"2"}'],
  ['!<a>!</a>', '{"a":""}'],
  ['!<__proto__>1!</__proto__>', '{"__proto__":"1"}'],
  ['"plain"', '"\\"plain\\""'],
])('%s is %s', (text, json) => {
  expect(toJson(text)).toBe(json)
})

test.each([
  ['an element that is not closed', '!<a>1'],
  ['another closing tag', '!<a>1!</b>'],
  ['a closing tag alone', '!</a>'],
  ['text between elements', '!<a>1!</a>x'],
  ['text in an element beside another', '!<a>x!<b>1!</b>!</a>'],
  ['what is no tag', '!x'],
  ['more levels than allowed', '!<a>!<b>!<c>!<d>!<e>1!</e>!</d>!</c>!</b>!</a>'],
])('%s is not JSON', (_name, text) => {
  expect(toJson(text)).toBeUndefined()
})
