import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readShownResult } from './result-shapes.ts'

const read = (value: unknown) => readShownResult(JSON.stringify(value))

test('output, exit code and files of a program', () => {
  const content = [{ type: 'bash_code_execution_output', file_id: 'file_1' }, { file_id: 2 }, null]
  expect(
    read({ type: 'bash_code_execution_result', stdout: 'a', stderr: '', return_code: 3, content }),
  ).toEqual({ kind: 'output', stdout: 'a', stderr: '', exitCode: 3, files: ['file_1'] })
  expect(read({ stderr: 'no', exit_code: '1' })).toMatchObject({ exitCode: undefined })
  expect(read({ stdout: 'a', took_ms: 5 })).toBeUndefined()
  expect(read({ stdout: ['a'] })).toBeUndefined()
})

test('pages that a search found, without encrypted content', () => {
  const page = { type: 'web_search_result', url: 'https://example.com/a', title: 'A' }
  const result = [
    { ...page, page_age: 'March 3', encrypted_content: 'SECRET' },
    { ...page, page_age: null, title: 5 },
  ]
  expect(read(result)).toEqual({
    kind: 'pages',
    pages: [
      { title: 'A', url: 'https://example.com/a', age: 'March 3' },
      { title: '', url: 'https://example.com/a', age: '' },
    ],
    more: 0,
  })
  expect(JSON.stringify(read(result))).not.toContain('SECRET')
  expect(read([page, { type: 'other' }])).toBeUndefined()
  expect(read([{ title: 'A', url: 'https://example.com' }])).toBeUndefined()
})

test('texts and images of an MCP tool, in both notations', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const parts = [
    { type: 'text', text: 'one "two"\n' },
    { type: 'image', source },
    { type: 'image', data: 'BBBB', mimeType: 'image/gif' },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'image', source: { ...source, data: '[base64, 12.0 KB]' } },
    { type: 'image' },
    { type: 'text', text: 7 },
    { type: 'resource_link', uri: 'x' },
  ]
  expect(read(parts)).toEqual({
    kind: 'parts',
    parts: [
      { text: 'one "two"\n' },
      { image: 'data:image/png;base64,AAAA' },
      { image: 'data:image/gif;base64,BBBB' },
      { image: 'https://example.com/a.png' },
      { other: 'image' },
      { other: 'image' },
      { other: 'text' },
      { other: 'resource_link' },
    ],
    more: 0,
  })
  expect(read([{ type: 'resource_link' }])).toBeUndefined()
  expect(read([{ text: 'no type' }])).toBeUndefined()
  expect(read([])).toBeUndefined()
})

test('blocks of the provider that a sentence describes', () => {
  expect(read({ type: 'container_upload', file_id: 'file_1' })).toEqual({
    kind: 'note',
    text: 'File for the sandbox',
    file: 'file_1',
  })
  expect(read({ type: 'container_upload', file_id: {} })).toMatchObject({ file: '' })
  expect(
    read({ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }),
  ).toMatchObject({ text: 'It failed: max uses exceeded' })
  expect(read({ type: '__proto__' })).toBeUndefined()
})

test('thousands of parts, long titles and texts that are not JSON are handled', () => {
  const texts = Array.from({ length: 5_000 }, () => ({ type: 'text', text: 'x' }))
  expect(read(texts)).toMatchObject({ more: 4_900, parts: { length: 100 } })
  const long = [{ type: 'web_search_result', title: 'x'.repeat(1_000_000), url: 'x' }]
  expect(JSON.stringify(read(long)).length).toBeLessThan(1_000)
  expect(readShownResult(`[${' '.repeat(8_000_000)}]`)).toBeUndefined()
  for (const text of ['', '[', '{"stdout":"a"', 'stdout', '"[]"', 'null']) {
    expect(readShownResult(text)).toBeUndefined()
  }
})

test('never throws', () => {
  const field = fc.constantFrom('type', 'stdout', 'text', 'source', 'data', 'url', '__proto__')
  const word = fc.constantFrom('text', 'image', 'web_search_result', 'container_upload', 'x_error')
  const item = fc.dictionary(field, fc.oneof(word, fc.jsonValue()))
  fc.assert(
    fc.property(fc.oneof(item, fc.array(item), fc.jsonValue()), (value) => {
      read(value)
    }),
  )
})
