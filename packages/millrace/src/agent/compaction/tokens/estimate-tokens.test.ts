import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyChain } from '../../../../test/support/models/any-chain.ts'
import type { ContentBlock } from '../../../events/index.ts'
import { estimateTokens } from '../index.ts'

function toBase64(...parts: readonly (string | readonly number[])[]): string {
  const bytes = parts.flatMap((part) =>
    typeof part === 'string' ? part.split('').map((char) => char.charCodeAt(0)) : part,
  )
  return Buffer.from(bytes).toString('base64')
}

function big(value: number, length: number): number[] {
  return Array.from({ length }, (_, at) => Math.floor(value / 256 ** (length - 1 - at)) % 256)
}

function little(value: number, length: number): number[] {
  return big(value, length).reverse()
}

const padding = Array.from({ length: 64 }, () => 0)

/** A minimal file of each format. */
const formats: Readonly<Record<string, (width: number, height: number) => string>> = {
  png: (width, height) =>
    toBase64([0x89], 'PNG\r\n\x1a\n', big(13, 4), 'IHDR', big(width, 4), big(height, 4), padding),
  gif: (width, height) => toBase64('GIF89a', little(width, 2), little(height, 2), padding),
  jpeg: (width, height) =>
    toBase64(
      [0xff, 0xd8],
      [0xff, 0xe0, ...big(70_00, 2)],
      Array.from({ length: 6998 }, () => 0xff),
      // Fill bytes before a marker, a table with a marker in the range of frames, then a progressive frame.
      [0xff, 0xff, 0xff, 0xc4, ...big(4, 2), 1, 2],
      [0xff, 0xc2, ...big(17, 2), 8, ...big(height, 2), ...big(width, 2)],
      padding,
    ),
  'lossy webp': (width, height) =>
    toBase64(
      'RIFF',
      little(99, 4),
      'WEBPVP8 ',
      little(80, 4),
      [0, 0, 0, 0x9d, 1, 0x2a],
      little(width, 2),
      little(height, 2),
      padding,
    ),
  'lossless webp': (width, height) =>
    toBase64(
      'RIFF',
      little(99, 4),
      'WEBPVP8L',
      little(80, 4),
      [0x2f],
      little(width - 1 + (height - 1) * 2 ** 14, 4),
      padding,
    ),
  'extended webp': (width, height) =>
    toBase64(
      'RIFF',
      little(99, 4),
      'WEBPVP8X',
      little(10, 4),
      [0, 0, 0, 0],
      little(width - 1, 3),
      little(height - 1, 3),
      padding,
    ),
}

function image(data: string): ContentBlock[] {
  return [{ type: 'image', source: { type: 'base64', media_type: 'image/*', data } }]
}

function pdf(text: string): ContentBlock[] {
  const source = { type: 'base64', media_type: 'application/pdf', data: btoa(text) }
  return [{ type: 'document', source }]
}

describe('a text', () => {
  test('has four characters a token, rounded up for every block', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('12345')).toBe(2)
    const block = { type: 'text', text: '12345' }
    expect(estimateTokens([block, { ...block }])).toBe(4)
    expect(estimateTokens([{ role: 'user', content: [block, block] }])).toBe(4)
  })

  test('of calls and unknown blocks is their JSON', () => {
    const input = { path: 'a"b' }
    expect(estimateTokens([{ type: 'tool_use', id: 'x', name: 'read', input }])).toBe(
      1 + Math.ceil(JSON.stringify(input).length / 4),
    )
    const content = { answer: [1, null, 'x'] }
    expect(estimateTokens([{ type: 'new_tool_result', tool_use_id: 'x', content }])).toBe(
      Math.ceil(JSON.stringify(content).length / 4),
    )
  })

  test('of hidden thinking is its signature', () => {
    const signature = 'x'.repeat(400)
    expect(estimateTokens([{ type: 'thinking', thinking: 'abcd', signature }])).toBe(1)
    expect(estimateTokens([{ type: 'thinking', thinking: '', signature }])).toBe(100)
    expect(estimateTokens([{ type: 'redacted_thinking', data: signature }])).toBe(100)
  })
})

describe('an image', () => {
  test.each(Object.entries(formats))('in the format %s is measured by its header', (_, encode) => {
    expect(estimateTokens(image(encode(300, 200)))).toBe(80)
    expect(estimateTokens(image(encode(1, 1)))).toBe(1)
    // Scaled down to 1568 by 784.
    expect(estimateTokens(image(encode(4000, 2000)))).toBe(1600)
    expect(estimateTokens(image(encode(4000, 1000)))).toBe(820)
  })

  test('that is damaged counts as the largest', () => {
    for (const encode of Object.values(formats)) {
      const data = encode(300, 200)
      for (let end = 0; end < 40; end++) {
        expect([80, 1600]).toContain(estimateTokens(image(data.slice(0, end))))
      }
    }
    expect(estimateTokens(image('not base64!'.repeat(20)))).toBe(1600)
    const url = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }
    expect(estimateTokens([url, { type: 'image' }])).toBe(3200)
  })

  test('with any bytes after a valid signature gives a bounded count', () => {
    const signatures = ['\x89PNG\r\n\x1a\n', 'GIF89a', '\xff\xd8\xff', 'RIFFxxxxWEBPVP8L']
    fc.assert(
      fc.property(
        fc.constantFrom(...signatures),
        fc.uint8Array({ maxLength: 80 }),
        (start, rest) => {
          const tokens = estimateTokens(image(toBase64(start, [...rest])))
          expect(tokens).toBeGreaterThan(0)
          expect(tokens).toBeLessThanOrEqual(1600)
        },
      ),
    )
  })

  test('in a result counts as an image', () => {
    const [shown] = image(formats['png']?.(300, 200) ?? '')
    const content = [{ type: 'text', text: 'abcd' }, shown ?? {}]
    expect(estimateTokens([{ type: 'tool_result', tool_use_id: 'x', content }])).toBe(81)
    const fetched = { type: 'web_fetch_result', content: shown ?? {} }
    const [result] = [{ type: 'web_fetch_tool_result', tool_use_id: 'x', content: fetched }]
    expect(estimateTokens([result])).toBe(
      80 + Math.ceil(JSON.stringify({ ...fetched, content: null }).length / 4),
    )
  })
})

describe('a document', () => {
  test('of text counts as its text', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'x'.repeat(40) }
    expect(estimateTokens([{ type: 'document', source, title: 'Mill' }])).toBe(11)
    const parts = { type: 'content', content: [{ type: 'text', text: 'x'.repeat(40) }] }
    expect(estimateTokens([{ type: 'document', source: parts }])).toBe(10)
  })

  test('with a page tree counts 2,000 tokens a page', () => {
    const tree = '1 0 obj <</Type /Pages /Kids [2 0 R] /Count 7>> endobj'
    const outline = '9 0 obj <</Type /Outlines /Count 99>> endobj'
    expect(estimateTokens(pdf(`%PDF-1.4 ${outline} ${tree}`))).toBe(14_000)
    expect(estimateTokens(pdf(`%PDF-1.4 ${' '.repeat(3_000_000)}${tree}`))).toBe(14_000)
    const pages = '2 0 obj <</Type/Page /Parent 1 0 R>> endobj '.repeat(3)
    expect(estimateTokens(pdf(`%PDF-1.4 ${pages}`))).toBe(6000)
    expect(estimateTokens(pdf('%PDF-1.5 1 0 obj <</Linearized 1 /N 12>> endobj'))).toBe(24_000)
  })

  test('with hidden pages is estimated by its size, within limits', () => {
    expect(estimateTokens(pdf('%PDF'))).toBe(2000)
    expect(estimateTokens(pdf('x'.repeat(120_000)))).toBe(6000)
    expect(estimateTokens(pdf('<</Type/Pages/Count 999999>> endobj'))).toBe(1_200_000)
    const url = { type: 'url', url: 'https://a.test/b.pdf' }
    expect(estimateTokens([{ type: 'document', source: url }])).toBe(20_000)
  })
})

test('an estimate is the sum of its parts and does not change', () => {
  fc.assert(
    fc.property(anyChain, ({ messages }) => {
      const whole = estimateTokens(messages)
      const parts = messages.map(({ content }) => estimateTokens(content))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole)
      expect(estimateTokens(structuredClone(messages))).toBe(whole)
      expect(estimateTokens(messages)).toBe(whole)
    }),
  )
})
