import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { StreamingMarkdown } from './streaming-markdown.tsx'

const render = (text: string, done = true) =>
  renderToStaticMarkup(<StreamingMarkdown text={text} done={done} />)

describe('Markdown from a model', () => {
  test('never creates its own HTML', () => {
    const html = render('<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> **b** <b>x</b>')
    expect(html).not.toMatch(/<script|<img|<b>/)
    expect(html).toContain('&lt;script&gt;')
    expect(html).toContain('<strong>b</strong>')
  })

  test('links lead only to pages and mail, without a referrer', () => {
    const html = render(
      '[a](https://example.org/) [b](javascript:alert(1)) [c](data:text/html,x) [d](/x) <mailto:a@b.c>',
    )
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1])
    expect(hrefs).toEqual(['https://example.org/', 'mailto:a@b.c'])
    expect(html.match(/rel="noopener noreferrer nofollow"/g)).toHaveLength(2)
  })

  test('images are linked and not loaded', () => {
    const html = render('![a chart](https://example.org/leak?secret)')
    expect(html).not.toContain('<img')
    expect(html).toContain('Image: a chart')
  })

  test('any text in any state renders without throwing, and only to known elements', () => {
    const marks = fc.constantFrom(
      '*',
      '**',
      '`',
      '```',
      '\n',
      '\n\n',
      '[',
      '](',
      ')',
      '<',
      '>',
      '|',
      '- ',
      '1. ',
      '# ',
      'x',
      ' ',
      '~',
      '!',
      '&',
      '"',
      '\ud83d',
    )
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 40 }), fc.boolean(), (parts, done) => {
        const html = render(parts.join(''), done)
        expect(html).not.toMatch(/<(?:script|style|iframe|object|img|form)/)
      }),
    )
  })

  test('open marks are closed temporarily', () => {
    expect(render('This is **bo', false)).toContain('<strong>bo</strong>')
    expect(render('See [the docs](https://exam', false)).not.toContain('https://exam')
  })

  test('a growing fence is code', () => {
    const html = render('Look:\n\n```ts\nconst a = 1\n', false)
    expect(html).toContain('<figure class="code">')
    expect(html).toContain('const a = 1')
  })

  test('a paragraph of any length shows all of its text while it grows', () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')
    expect(
      render(words, false)
        .replaceAll(/<[^>]*>/g, '')
        .trim(),
    ).toBe(words)
  })
})
