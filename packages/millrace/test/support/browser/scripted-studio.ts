import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { encodeSse } from '../../../src/public/index.ts'
import { serve } from '../../../src/node/serve.ts'
import { launchChromium } from './chromium.ts'

/** The fields of an envelope in a log. */
export interface ScriptedMessage {
  readonly type: string
  readonly delta?: string
  readonly final?: boolean
  readonly agent?: string
  readonly [field: string]: unknown
}

/** Studio in a real browser, with a log that a test has written. */
export interface ScriptedStudio {
  readonly url: string
  /** The errors of pages so far. */
  readonly complaints: string[]
  /** Opens the conversation of the envelopes. */
  open(messages: readonly ScriptedMessage[], options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

const studioFolder = fileURLToPath(new URL('../../../../tools/studio/', import.meta.url))
const session = '3f2c1a9e-5b7d-4c68-9a01-2d4e6f8a0b1c'

/** Starts {@link ScriptedStudio}. */
export async function openScriptedStudio(): Promise<ScriptedStudio> {
  const complaints: string[] = []
  let frames: readonly string[] = []
  const answer = ({ url }: Request): Response => {
    const { pathname, searchParams } = new URL(url)
    if (!pathname.endsWith('/stream')) {
      return Response.json({ error: { code: 'not_found', message: 'None.' } }, { status: 404 })
    }
    // An interrupted page continues at its position: on a busy machine it might otherwise never reach the end.
    const rest = frames.slice(Number(searchParams.get('cursor') ?? 0))
    const body = `${rest.join('')}data: [DONE]\n\n`
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const server = await serve({ handler: { fetch: answer }, port: 0, page: studioFolder })
  const browser: Browser = await launchChromium()
  return {
    url: server.url,
    complaints,
    async open(messages, options = {}) {
      frames = toFrames(messages)
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      // The load time of a page depends on other work on the machine; hooks and tests have separate limits.
      page.setDefaultNavigationTimeout(0)
      page.on('console', (message) => {
        // There is nothing but the log, and browsers log responses with 404.
        if (message.text().includes('404')) return
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.goto(`${server.url}/?session=${session}`)
      return page
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

function toFrames(messages: readonly ScriptedMessage[]): readonly string[] {
  return messages.map(({ type, agent = session, final = true, delta = '', ...rest }, index) =>
    encodeSse({
      id: String(index + 1),
      data: JSON.stringify({ type, agent, final, delta, ...rest }),
    }),
  )
}

/** The envelope that starts a run. */
export function begin(prompt: string): ScriptedMessage {
  const meta = { format: 'json', user_query: prompt, agent_uuid: session, model: 'scripted' }
  return { type: 'meta_init', delta: JSON.stringify(meta) }
}

/** The envelopes of a text block. */
export function say(text: string): readonly ScriptedMessage[] {
  return [{ type: 'text', delta: text, final: false }, { type: 'text' }]
}

/** The envelopes of a call with its result. */
export function call(
  id: string,
  name: string,
  input: object,
  result: string,
): readonly ScriptedMessage[] {
  return [
    { type: 'tool_call', delta: JSON.stringify(input), id, name },
    { type: 'tool_result', delta: result, id, name },
  ]
}

/** The envelope that ends a run. */
export function end(fields: object = {}): ScriptedMessage {
  const usage = { input_tokens: 10, output_tokens: 20 }
  const delta = JSON.stringify({
    stop_reason: 'end_turn',
    total_steps: 1,
    usage,
    cost: null,
    ...fields,
  })
  return { type: 'meta_end', delta }
}
