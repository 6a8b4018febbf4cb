import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import Markdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { describe, expect, test } from 'vitest'
import { createMarkdownSplitter } from './split-markdown.ts'
import type { MarkdownPart } from './split-markdown.ts'

const pieces = [
  '# Title\n',
  'A paragraph with **bold** and `code`.\n',
  '\n',
  '\n\n',
  'Two lines\nin one paragraph\n',
  '```ts\nconst a = 1\n\nconst b = 2\n```\n',
  '~~~\n```\n~~~~\n',
  '````md\n```\nx\n```\n````\n',
  '- one\n- two\n',
  '1. first\n\n   more of it\n\n2. second\n',
  '- item\n\n  ```py\n  x = 1\n\n  y = 2\n  ```\n',
  '> quoted\n> more\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  '    indented\n\n    code\n',
  '---\n',
  'Setext\n===\n',
  '<b>raw</b>\n',
  'ends without a line end',
] as const

const document = fc
  .array(fc.constantFrom(...pieces), { maxLength: 14 })
  .map((parts) => parts.join(''))

function split(text: string, done = true): readonly MarkdownPart[] {
  return createMarkdownSplitter().update(text, done).flat()
}

function toHtml(markdown: string): string {
  const html = renderToStaticMarkup(<Markdown remarkPlugins={[remarkGfm]}>{markdown}</Markdown>)
  return html.replaceAll(/\n/g, '')
}

describe('splitting Markdown', () => {
  test('loses only blank lines between parts', () => {
    fc.assert(
      fc.property(document, (text) => {
        let rest = text
        for (const { text: part, start } of split(text)) {
          expect(text.slice(start, start + part.length)).toBe(part)
          expect(text.slice(text.length - rest.length, start).trim()).toBe('')
          rest = text.slice(start + part.length)
        }
        expect(rest.trim()).toBe('')
      }),
    )
  })

  test('renders like the whole text', () => {
    fc.assert(
      fc.property(document, (text) => {
        const parts = split(text).map((part) => toHtml(part.text))
        expect(parts.join('')).toBe(toHtml(text))
      }),
    )
  })

  test('does not depend on how the text grew', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(400)), (text, cuts) => {
        const splitter = createMarkdownSplitter()
        for (const cut of cuts.toSorted((a, b) => a - b)) splitter.update(text.slice(0, cut), false)
        expect(splitter.update(text, true).flat()).toEqual(split(text))
      }),
    )
  })

  test('settled parts and full groups stay the same objects', () => {
    const splitter = createMarkdownSplitter()
    const text = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}.\n\n`).join('')
    const first = splitter.update(text.slice(0, text.length / 2), false)
    const second = splitter.update(text, false)
    expect(first.length).toBeGreaterThan(2)
    for (const [index, group] of first.slice(0, -1).entries()) expect(second[index]).toBe(group)
  })

  test('a long list is split between its items', () => {
    const items = Array.from({ length: 900 }, (_, index) => `${index + 1}. item ${index}\n`)
    const parts = split(items.join(''))
    expect(parts.length).toBeGreaterThan(2)
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThan(5_000)
  })

  test('a shorter text starts again', () => {
    const splitter = createMarkdownSplitter()
    splitter.update('One.\n\nTwo.\n\n', false)
    expect(splitter.update('New', false).flat()).toMatchObject([{ start: 0, text: 'New' }])
  })
})
