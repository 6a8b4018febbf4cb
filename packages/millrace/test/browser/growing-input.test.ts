import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agent/port/agent.ts'
import { serve } from '../../src/node/serve.ts'
import type { RunningServer } from '../../src/node/listen.ts'
import { createHandler } from '../../src/server/handler.ts'
import { createMemoryStore } from '../../src/stores/memory/memory-store.ts'
import { chromiumPath, launchChromium } from '../support/browser/chromium.ts'
import { openStudioPage } from '../support/browser/studio-browser.ts'

const left = chromiumPath === undefined && process.env['CI'] !== 'true'
const studioFolder = fileURLToPath(new URL('../../../tools/studio/', import.meta.url))
const usage = { input_tokens: 0, output_tokens: 0 }
const toolCall = { id: 'toolu_long', name: 'take_notes' }

/** Chunks of the input of one call, which a test writes one by one. */
function createPieces() {
  const pieces: string[] = []
  let isWhole = false
  let wake = (): void => {}
  return {
    write(piece: string): void {
      pieces.push(piece)
      wake()
    },
    end(): void {
      isWhole = true
      wake()
    },
    async *read(): AsyncGenerator<string> {
      for (let index = 0; !isWhole || index < pieces.length; index++) {
        while (index === pieces.length && !isWhole) {
          await new Promise<void>((resolve) => (wake = resolve))
        }
        const piece = pieces[index]
        if (piece !== undefined) yield piece
      }
    },
  }
}

let pieces = createPieces()

/** An agent that calls a tool with the input that a test writes. */
const agent: Agent = {
  name: 'writer',
  async *run({ agent: id }) {
    const kind = 'tool_call' as const
    const content = { type: 'tool_use' as const, ...toolCall, input: {} }
    yield { type: 'run_start', agent: id, runId: 'r', prompt: 'go', model: 'm', messages: [] }
    yield { type: 'block_start', agent: id, block: 0, kind, content }
    let inputText = ''
    for await (const text of pieces.read()) {
      inputText += text
      yield { type: 'block_delta', agent: id, block: 0, text }
    }
    yield { type: 'block_end', agent: id, block: 0, kind, content, inputText }
    const { id: callId, name } = toolCall
    const result = { callId, name, text: 'Taken.', images: [], isError: false }
    yield { type: 'tool_result', agent: id, ...result }
    const end = { stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
    yield { type: 'run_end', agent: id, ...end }
  },
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `Note ${from + n} of the mill.\n`).join('')
/** Text as in a JSON string. */
const inString = (text: string): string => JSON.stringify(text).slice(1, -1)

let server: RunningServer
let browser: Browser
let page: Page
const complaints: string[] = []

const box = () => page.getByLabel('Input', { exact: true })

/** Waits until the box shows a text, all of it. */
async function waitForText(text: string): Promise<void> {
  await page.waitForFunction(
    (whole) => document.querySelector('[aria-label="Input"]')?.textContent === whole,
    text,
  )
}

/** The distance of the box from its end, in pixels. */
const distance = (): Promise<number> =>
  box().evaluate(({ scrollHeight, scrollTop, clientHeight }) =>
    Math.round(scrollHeight - scrollTop - clientHeight),
  )

const scrollTop = (): Promise<number> => box().evaluate((element) => element.scrollTop)

/** The copied text of a selection of the entire box. */
const selected = (): Promise<string> =>
  box().evaluate((element) => {
    const selection = getSelection()
    selection?.selectAllChildren(element)
    return selection?.toString() ?? ''
  })

describe.skipIf(left)('the input of a call during streaming', () => {
  beforeAll(async () => {
    const store = createMemoryStore()
    const handler = createHandler({ agents: { writer: agent }, defaultAgent: 'writer', store })
    server = await serve({ handler, port: 0, page: studioFolder })
    browser = await launchChromium()
  })

  beforeEach(async () => {
    pieces = createPieces()
    const one = await openStudioPage(await browser.newContext(), server.url, complaints)
    page = one.page
    await one.ask('go')
  })

  afterEach(async () => {
    pieces.end()
    await page.context().close()
    expect(complaints.splice(0)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('scrolls to its end until the user scrolls up, and again when the user scrolls back', async () => {
    pieces.write('{"notes":"')
    let shown = '{\n  "notes": "'
    const grow = async (from: number, to: number): Promise<void> => {
      pieces.write(inString(lines(from, to)))
      shown += lines(from, to)
      await waitForText(shown)
    }
    for (let count = 0; count < 900; count += 90) await grow(count, count + 90)
    await expect.poll(distance).toBeLessThanOrEqual(1)
    await box().hover()
    await page.mouse.wheel(0, -900)
    // The browser scrolls smoothly, and stops only there.
    await expect.poll(distance).toBeGreaterThanOrEqual(899)
    const before = await scrollTop()
    await grow(900, 1_200)
    expect(await scrollTop()).toBe(before)
    await box().focus()
    await page.keyboard.press('End')
    await expect.poll(distance).toBeLessThanOrEqual(1)
    await grow(1_200, 1_500)
    await expect.poll(distance).toBeLessThanOrEqual(1)
    pieces.write('"}')
    pieces.end()
    await page.getByLabel('Result', { exact: true }).waitFor()
    await waitForText(`${shown}"\n}`)
    await expect.poll(distance).toBeLessThanOrEqual(1)
  })

  test('can be selected and copied unchanged, and searched', async () => {
    const notes = `${lines(0, 300)}\n\n${'long '.repeat(1_200)}\n${lines(300, 600)}and more`
    pieces.write(`{"notes":"${inString(notes)}`)
    const shown = `{\n  "notes": "${notes}`
    await waitForText(shown)
    expect(await selected()).toBe(shown)
    pieces.write('"}')
    pieces.end()
    await page.getByLabel('Result', { exact: true }).waitFor()
    expect(await selected()).toBe(`${shown}"\n}`)
    const found = await page.evaluate(() => {
      getSelection()?.removeAllRanges()
      // Missing in the types, although all browsers have it.
      return (window as unknown as { find: (text: string) => boolean }).find(
        'Note 123 of the mill.',
      )
    })
    expect(found).toBe(true)
  })

  test('looks the same in blocks as in one piece', async () => {
    const notes = `${lines(0, 200)}\n${'long '.repeat(1_200)}\n\n\n${lines(200, 400)}`
    pieces.write(`{"notes":"${inString(notes)}"}`)
    pieces.end()
    await page.getByLabel('Result', { exact: true }).waitFor()
    const heights = await box().evaluate((element) => {
      const copy = element.cloneNode(false) as HTMLElement
      copy.textContent = element.textContent
      element.after(copy)
      const both = [element.scrollHeight, copy.scrollHeight]
      copy.remove()
      return both
    })
    expect(heights[0]).toBe(heights[1])
  })

  test('shows all of a line without an end', async () => {
    pieces.write('{"notes":"')
    for (let count = 0; count < 60; count++) pieces.write('0123456789'.repeat(500))
    await waitForText(`{\n  "notes": "${'0123456789'.repeat(30_000)}`)
    await expect.poll(distance).toBeLessThanOrEqual(1)
  })
})
