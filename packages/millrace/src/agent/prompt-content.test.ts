import { expect, test } from 'vitest'
import type { Prompt } from '../events/index.ts'
import { toPromptContent } from './prompt-content.ts'

const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }

test.each<[string, Prompt, RegExp]>([
  ['nothing', '', /is empty/],
  ['white space', ' \n\t', /is empty/],
  ['no blocks', [], /is empty/],
  ['blank text', [{ type: 'text', text: ' ' }], /is empty/],
  ['text without text', [{ type: 'text' }], /lacks its `text`/],
  ['an image without a source', [{ type: 'image' }, { type: 'text', text: 'a' }], /its `source`/],
  ['a document whose source is text', [{ type: 'document', source: 'a' }], /its `source`/],
  ['a result', [{ type: 'tool_result', tool_use_id: 'a', content: 'b' }], /`tool_result`/],
])('a prompt of %s is rejected', (_, prompt, words) => {
  expect(() => toPromptContent(prompt)).toThrow(words)
})

test('a prompt of only an image, or of a block of an unknown type, is kept', () => {
  for (const prompt of [[image], [{ type: 'search_result', title: 'a' }]]) {
    expect(toPromptContent(prompt)).toEqual(prompt)
  }
})

test('a lone surrogate, which model APIs reject permanently, is replaced', () => {
  const half = '🌾'.slice(0, 1)
  expect(toPromptContent(`a${half}`)).toEqual([{ type: 'text', text: 'a�' }])
  expect(toPromptContent([image, { type: 'text', text: `🌾${half}` }])).toEqual([
    image,
    { type: 'text', text: '🌾�' },
  ])
})
