import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser/chromium.ts'
import { hostileTexts } from '../support/browser/hostile-texts.ts'
import {
  begin,
  call,
  end,
  openScriptedStudio,
  say,
  type ScriptedMessage,
  type ScriptedStudio,
} from '../support/browser/scripted-studio.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'

/** All elements with which Studio draws a conversation; Markdown adds elements for text. */
const allowed = new Set(
  [
    'a blockquote br button code del details div em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr img input',
    'li ol p path pre q section small span strong summary sup svg table tbody td th thead tr ul circle rect line',
  ]
    .join(' ')
    .split(' '),
)

let studio: ScriptedStudio
let page: Page

/** Opens a conversation without the content policy of the page, so that no test depends on it. */
async function show(messages: readonly ScriptedMessage[]): Promise<readonly string[]> {
  const asked: string[] = []
  page = await studio.open([begin('Show it'), ...messages, end()], {
    bypassCSP: true,
    viewport: { width: 1280, height: 12_000 },
  })
  page.on('request', (request) => asked.push(request.url()))
  await page.getByText('Done', { exact: false }).first().waitFor()
  await page.locator('.run-footer').last().waitFor()
  return asked
}

/** Examines all drawn elements, hovers over them, and returns forbidden ones. */
function inspect(): Promise<readonly string[]> {
  return page.evaluate(
    (names) => {
      const found: string[] = []
      const known = new Set(names)
      if ('__hacked' in window) found.push('a script ran')
      for (const element of document.querySelectorAll('.chat-content *')) {
        element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
        if (!known.has(element.localName)) found.push(`<${element.localName}>`)
        for (const { name, value } of element.attributes) {
          if (name.startsWith('on') || name === 'srcdoc') found.push(`${name}=${value}`)
          const isAddress = ['href', 'src', 'action', 'formaction', 'xlink:href'].includes(name)
          if (isAddress && !/^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp))/.test(value)) {
            found.push(`${name}=${value}`)
          }
          const isPlaced = ['row-space', 'citation-tip'].includes(element.className)
          if (name === 'style' && !isPlaced) found.push(`style=${value}`)
        }
      }
      if ('__hacked' in window) found.push('a script ran')
      return found
    },
    [...allowed],
  )
}

/** The requests to other origins. */
function foreign(asked: readonly string[]): readonly string[] {
  return asked.filter((url) => !url.startsWith(studio.url) && !url.startsWith('data:'))
}

test('there are at least forty hostile texts', () => {
  expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(40)
})

describe.skipIf(left)('hostile content is text', () => {
  beforeAll(async () => {
    studio = await openScriptedStudio()
  })

  afterEach(async () => {
    await page.context().close()
    expect(studio.complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await studio?.close()
  })

  async function expectHarmless(messages: readonly ScriptedMessage[]): Promise<void> {
    const asked = await show(messages)
    // Only rows near the view are drawn.
    for (const part of [1, 0.8, 0.6, 0.4, 0.2, 0]) {
      await page.evaluate((to) => {
        const scroll = document.querySelector('.chat-scroll')
        if (scroll) scroll.scrollTop = to * scroll.scrollHeight
      }, part)
      // Waits for delayed requests.
      await page.waitForTimeout(150)
      expect(await inspect()).toEqual([])
    }
    expect(foreign(asked)).toEqual([])
    expect(page.context().pages()).toHaveLength(1)
    expect(new URL(page.url()).origin).toBe(studio.url)
  }

  test('in the text of a model, whole and in pieces', async () => {
    const pieces = hostileTexts.flatMap((text) => [
      { type: 'thinking', delta: text, final: false },
      { type: 'thinking' },
      ...say(text),
      { type: 'user_message', delta: text },
    ])
    await expectHarmless(pieces)
  })

  test('in input and output of tools', async () => {
    await expectHarmless(
      hostileTexts.flatMap((text, index) => [
        ...call(`a${index}`, 'look', { path: text, [text]: text }, text),
        ...call(
          `b${index}`,
          text,
          { path: text, patch: `@@ -1 +1 @@\n-${text}\n+${text}\n` },
          text,
        ),
        { type: 'server_tool_call', delta: text, id: `c${index}`, name: text, server_name: text },
        { type: 'server_tool_result', delta: JSON.stringify(text), id: `c${index}`, name: text },
        { type: 'tool_status', delta: text, id: `a${index}`, stage: 'progress' },
      ]),
    )
  })

  test('in content that is displayed by its type: files, commands, output, pages, parts, files of the provider', async () => {
    const server = (id: string, name: string, value: unknown): ScriptedMessage => ({
      type: 'server_tool_result',
      delta: JSON.stringify(value),
      id,
      name,
    })
    await expectHarmless(
      hostileTexts.flatMap((text, index) => [
        ...call(
          `f${index}`,
          'write_file',
          { path: `${text}.html`, content: text, [text]: text },
          JSON.stringify({ stdout: text, stderr: text, exit_code: 1 }),
        ),
        ...say('Next.'),
        ...call(`r${index}`, 'run_code', { code: text, language: text }, text),
        { type: 'server_tool_call', delta: '{}', id: `w${index}`, name: 'web_search' },
        server(`w${index}`, 'web_search_tool_result', [
          { type: 'web_search_result', url: text, title: text, page_age: text },
          { type: 'web_search_result', url: `javascript:${text}`, title: text },
        ]),
        server(`u${index}`, 'container_upload', { type: 'container_upload', file_id: text }),
        server(`p${index}`, text, [
          { type: 'text', text },
          { type: text },
          { type: 'image', data: text, mimeType: text },
          { type: 'image', source: { type: 'url', url: text } },
        ]),
        server(`e${index}`, text, { type: 'x_error', error_code: text, error_message: text }),
      ]),
    )
    expect(await page.locator('.found-pages a').count()).toBe(0)
    expect(await page.locator('.chat-content img').count()).toBe(0)
  })

  test('in citations, and in their tooltips', async () => {
    await expectHarmless(
      hostileTexts.flatMap((text) => [
        { type: 'text', delta: 'A claim', final: false },
        {
          type: 'citation',
          delta: text,
          citation_type: 'web_search_result_location',
          url: text,
          title: text,
        },
        { type: 'citation', delta: text, citation_type: 'char_location', document_title: text },
        { type: 'text' },
        { type: 'thinking', delta: 'x' },
      ]),
    )
    // Hovering over the marks has opened them.
    expect(await page.getByRole('tooltip').count()).toBeGreaterThan(hostileTexts.length)
  })

  test('in the names and locations of files', async () => {
    const files = hostileTexts.map((text, index) => ({
      file_id: `${index}`,
      filename: text,
      storage_location: index % 2 ? text : `javascript:${text}`,
    }))
    await expectHarmless([{ type: 'meta_files', delta: JSON.stringify({ files }) }])
    expect(await page.locator('.files a').count()).toBe(0)
  })

  test('in the sources of images: none is loaded from elsewhere', async () => {
    const sources = [
      ...hostileTexts,
      'https://attacker.example/pixel.png',
      '//attacker.example/pixel.png',
      'http:attacker.example/pixel.png',
      '/agent/x/images/../../../evil',
      '/agent/x/images/a?to=https://attacker.example',
      '\\\\attacker.example\\x.png',
      'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+',
      'data:text/html,<script>window.__hacked=1</script>',
      'blob:https://attacker.example/1',
      'javascript:window.__hacked=1',
    ]
    await expectHarmless(
      sources.flatMap((src, index) => [
        { type: 'tool_call', delta: '{}', id: `i${index}`, name: 'draw' },
        {
          type: 'tool_result_image',
          final: false,
          id: `i${index}`,
          name: 'draw',
          src,
          media_type: src,
        },
        { type: 'tool_result', id: `i${index}`, name: 'draw' },
        { type: 'server_tool_call', delta: '{}', id: `m${index}`, name: 'draw' },
        {
          type: 'server_tool_result',
          id: `m${index}`,
          name: 'mcp_tool_result',
          delta: JSON.stringify([
            { type: 'image', source: { type: 'url', url: src } },
            { type: 'image', source: { type: 'base64', media_type: src, data: src } },
            { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+' },
          ]),
        },
      ]),
    )
    expect(await page.locator('.chat-content img').count()).toBe(0)
  })

  test('hidden characters in the names of tools, servers, files and pending calls are marked', async () => {
    const name = 're\u200bad_\u202efile'
    const waiting = [{ tool_use_id: 'loose', name, input: { path: 'a\u2066b' } }]
    page = await studio.open([
      begin('Show it'),
      { type: 'tool_call', delta: '{}', id: 'a', name },
      { type: 'server_tool_call', delta: '{}', id: 'b', name: 'look', server_name: 'mc\u00adp' },
      { type: 'meta_files', delta: JSON.stringify({ files: [{ file_id: 'f', filename: name }] }) },
      { type: 'awaiting_approval', delta: JSON.stringify(waiting) },
      end({ stop_reason: 'awaiting_approval' }),
    ])
    const shown = 'reU+200Bad_U+202Efile'
    const loose = page.locator('section.card', { hasText: 'The run is paused until you decide.' })
    await loose.getByText('Contains 3 hidden characters').waitFor()
    const texts = page.locator(
      '.tool-name, .files strong, .card summary .muted, .approval-question',
    )
    const all = (await texts.allInnerTexts()).join('\n')
    expect(all).not.toMatch(/[\u200b\u202e\u2066\u00ad]/)
    expect(all.split(shown).length - 1).toBe(4)
    expect(all).toContain('on mcU+00ADp')
    expect(await loose.locator('.payload').innerText()).toContain('"aU+2066b"')
  })

  test('in errors, questions and prompts', async () => {
    const prompts = hostileTexts.flatMap((text) => [
      begin(text),
      begin(
        JSON.stringify([
          { type: 'document', title: text, source: { data: text } },
          { type: 'text', text },
        ]),
      ),
    ])
    const errors = hostileTexts.map((text) => ({
      type: 'error',
      delta: JSON.stringify({ type: text, message: text, code: text, retriable: false }),
    }))
    const questions = hostileTexts.flatMap((text, index) =>
      call(`q${index}`, 'user_confirm', { question: text }, text),
    )
    await expectHarmless([...prompts, ...questions, ...errors])
  })
})
