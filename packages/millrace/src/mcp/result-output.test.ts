import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json/index.ts'
import { toOutput } from './result-output.ts'

const limits = { maxResultChars: 100, maxImages: 2, maxImageChars: 10 }
const png = (data: string) => ({ type: 'image', data, mimeType: 'image/png' })

test('converts any server response to a bounded result', () => {
  const part = fc.oneof(
    fc.record({
      type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'toString'),
      text: fc.string({ maxLength: 300 }),
      data: fc.base64String(),
      mimeType: fc.constantFrom('image/png', 'application/pdf', 'x/y'),
      resource: fc.jsonValue(),
    }),
    fc.jsonValue(),
  )
  const anyResult = fc.record(
    {
      content: fc.oneof(fc.array(part), fc.jsonValue()),
      structuredContent: fc.jsonValue(),
      isError: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anyResult, (result) => {
      const {
        text = '',
        images = [],
        documents = [],
        isError,
      } = toOutput(result as JsonObject, limits)
      expect(text.length).toBeLessThan(100 + 100)
      expect(images.length).toBeLessThanOrEqual(2)
      expect(documents.length).toBeLessThanOrEqual(2)
      expect(isError).toBe(result.isError === true)
    }),
  )
})

test('truncates a long text between characters', () => {
  const content = [{ type: 'text', text: `${'x'.repeat(99)}😀y` }]
  expect(toOutput({ content }, limits).text).toBe(
    `${'x'.repeat(99)}\n[… 3 more characters omitted]`,
  )
})

test('uses structured content as JSON only if there is no text', () => {
  const structuredContent = { sum: 3 }
  expect(toOutput({ structuredContent }, limits).text).toBe('{"sum":3}')
  const content = [{ type: 'text', text: 'three' }]
  expect(toOutput({ structuredContent, content }, limits).text).toBe('three')
})

test('replaces images that are too large, too many or of an unsupported type by notes', () => {
  const content = [png('A'.repeat(12)), png('AAAA'), png('BBBB'), png('CCCC')]
  const svg = { type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }
  expect(toOutput({ content: [...content, svg] }, limits)).toMatchObject({
    text: [
      '[image, image/png, 9 bytes, not shown]',
      '[image, image/svg+xml, 3 bytes, not shown]',
      '[images and documents omitted: 1]',
    ].join('\n'),
    images: [{ data: 'AAAA' }, { data: 'BBBB' }],
  })
})

test('converts an embedded PDF to a document and an image to an image', () => {
  const resource = (mimeType: string) => ({
    type: 'resource',
    resource: { uri: 'file:///x', blob: 'AAAA', mimeType },
  })
  const content = [resource('application/pdf'), resource('image/webp')]
  expect(toOutput({ content }, limits)).toEqual({
    text: '',
    images: [{ data: 'AAAA', mediaType: 'image/webp' }],
    documents: [{ data: 'AAAA', mediaType: 'application/pdf' }],
    isError: false,
  })
})

test('replaces an empty error by a message, and unknown content by a note', () => {
  expect(toOutput({ isError: true }, limits).text).toBe('The tool failed without a reason.')
  expect(toOutput({ content: [{ type: 'hologram' }] }, limits).text).toBe(
    '[content of type "hologram", which is not supported]',
  )
})

test('replaces structured content that is nested too deeply by a note', () => {
  let structuredContent: JsonObject = {}
  for (let depth = 0; depth < 100_000; depth++) structuredContent = { structuredContent }
  expect(toOutput({ structuredContent }, limits).text).toContain('nested too deeply')
})
