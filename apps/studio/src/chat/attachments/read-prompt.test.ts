import { expect, test } from 'vitest'
import { toSize } from '../../text/format.ts'
import { readPrompt } from './read-prompt.ts'

const ask = { type: 'text', text: 'What is it?' }

/** Returns the only file of a prompt. */
function fileOf(block: object) {
  const { text, files } = readPrompt(JSON.stringify([block, ask]))
  expect(text).toBe('What is it?')
  expect(files).toHaveLength(1)
  return files[0]
}

test('a short text file has its size, and its content is never taken as a size', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'hello mill é' }
  expect(fileOf({ type: 'document', title: 'a.txt', source })).toEqual({
    isPicture: false,
    block: 0,
    name: 'a.txt',
    kind: 'Text',
    size: 13,
  })
})

test('an image has the size that the composer stated', () => {
  const source = { type: 'base64', media_type: 'image/png', data: '[base64, 158.2 KB]' }
  const file = fileOf({ type: 'image', source })
  expect(file).toMatchObject({ isPicture: true, name: undefined, kind: 'PNG image' })
  expect(toSize(file?.size ?? 0)).toBe('162 kB')
})

test.each([
  ['a label that is too coarse', { type: 'base64', data: '[base64, 0.1 KB]' }],
  ['a label of another kind', { type: 'base64', data: '[base64, many KB]' }],
  ['a file that is only named', { type: 'file', file_id: 'file_1' }],
  ['data of another kind', { type: 'text', data: 7 }],
  ['no source', undefined],
])('the size is unknown: %s', (_, source) => {
  expect(fileOf({ type: 'document', source })?.size).toBeUndefined()
})

test('types named like members of objects are unknown types', () => {
  const source = { media_type: 'constructor', data: '__proto__' }
  expect(fileOf({ type: 'document', source })).toMatchObject({ kind: undefined, size: undefined })
})

test('a list that a user typed is text', () => {
  for (const text of ['[{', '[{"type":"image"},{"a":1}]', '[{"text":"x"}]', '[1]']) {
    expect(readPrompt(text)).toEqual({ text, files: [] })
  }
})
