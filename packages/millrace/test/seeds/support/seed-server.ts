import { createAgent } from '../../../src/agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../../src/tools/define-tool.ts'
import { anthropic } from '../../../src/models/anthropic/anthropic.ts'
import { serve } from '../../../src/node/serve.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { createEmulator } from 'millrace-tools/emulator'
import { decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import { dataLines } from '../../../../../spec/seed-clients/page.ts'
import { anything } from '../../support/agents/agent-harness.ts'
import { LARGE_RESULT, PIXEL, seedScenarios } from './seed-scenarios.ts'

/** One response, read to its end. */
export interface SeedStream {
  readonly session: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The payloads of the `data:` lines, `[DONE]` included. */
  readonly data: readonly string[]
  /** The envelopes of a stream. */
  messages(): Envelope[]
}

const tools = [
  defineTool({
    name: 'grep_search',
    description: 'Searches.',
    input: anything,
    run: () => 'Found 4 matches in src/',
  }),
  defineTool({
    name: 'read_file',
    description: 'Reads.',
    input: anything,
    run: () => LARGE_RESULT,
  }),
  defineTool({
    name: 'screenshot',
    description: 'Takes two pictures.',
    input: anything,
    run: () => ({
      text: 'Screenshot captured successfully',
      images: [
        { data: PIXEL, mediaType: 'image/png' },
        { url: 'https://example.com/b.jpg', mediaType: 'image/jpeg' },
      ],
    }),
  }),
  defineTool({
    name: 'large_picture',
    description: 'Takes a large picture.',
    input: anything,
    run: () => ({
      images: [{ data: `${PIXEL.slice(0, -4)}AAAA`.repeat(40), mediaType: 'image/png' }],
    }),
  }),
  defineTool({
    name: 'api_image',
    description: 'Returns a block of the API.',
    input: anything,
    run: () => [
      { type: 'text', text: 'one picture' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
    ],
  }),
  defineFrontendTool({ name: 'user_confirm', description: 'Asks.', input: anything }),
]

async function openSeedServer() {
  const emulator = createEmulator({ scenarios: seedScenarios, pace: 'instant', seed: 'seeds' })
  const modelServer = await serve({ handler: emulator, port: 0, closeGraceMs: 50 })
  const access = { baseURL: modelServer.url, apiKey: 'none', maxRetries: 0 }
  const model = anthropic('emulator', access)
  const helper = createAgent({ name: 'helper', description: 'Helps.', model, tools })
  const agent = createAgent({
    name: 'seed',
    model,
    tools,
    subagents: [helper],
    retryDelayMs: 1,
    files: {
      keep: async ({ fileId }) => ({
        fileId,
        filename: 'report.pdf',
        storageLocation: `https://files.example.com/${fileId}`,
      }),
    },
  })
  const handler = createHandler({
    agents: { seed: agent },
    defaultAgent: 'seed',
    store: createMemoryStore(),
  })
  const server = await serve({ handler, port: 0, closeGraceMs: 500 })
  return {
    url: server.url,
    close: async () => {
      await server.close()
      await modelServer.close()
    },
  }
}

let opened: ReturnType<typeof openSeedServer> | undefined
const runs = new Map<string, Promise<SeedStream>>()

/** Closes the server of the suite, if a check has opened it. */
export async function closeSeedServer(): Promise<void> {
  const server = await opened
  opened = undefined
  runs.clear()
  await server?.close()
}

async function read(response: Response, session: string): Promise<SeedStream> {
  const body = await response.text()
  const data = dataLines(body)
  return {
    session,
    status: response.status,
    headers: response.headers,
    body,
    data,
    messages: () => data.filter((line) => line !== '[DONE]').map(decodeEnvelope),
  }
}

/** The server may close a kept connection at the moment of its reuse. */
const noReuse = { connection: 'close' }

/** Sends a JSON body to a route and reads the response to its end. */
async function post(path: string, body: { readonly agent_uuid: string }) {
  const { url } = await (opened ??= openSeedServer())
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...noReuse, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return read(response, body.agent_uuid)
}

/** Reads a route of the server to its end. */
export async function get(path: string): Promise<SeedStream> {
  const { url } = await (opened ??= openSeedServer())
  return read(await fetch(`${url}${path}`, { headers: noReuse }), '')
}

/** The options of a prompt. */
export interface AskOptions {
  readonly query?: string
  readonly fields?: Readonly<Record<string, unknown>>
  /** A session that already has a run. */
  readonly session?: string
}

/** Sends a prompt in a new session, or in a given one, and reads the response to its end. */
export function ask(
  prompt: string | readonly object[],
  { query = '', fields = {}, session }: AskOptions = {},
) {
  const agent_uuid = session ?? crypto.randomUUID()
  return post(`/agent/run${query}`, { agent_uuid, user_prompt: prompt, ...fields } as {
    agent_uuid: string
  })
}

/** Like {@link ask} in a new session, but sent only once for all checks. */
export function askOnce(prompt: string, options: Omit<AskOptions, 'session'> = {}) {
  const key = JSON.stringify([prompt, options])
  const run = runs.get(key) ?? ask(prompt, options)
  runs.set(key, run)
  return run
}

/** With this field a run reports its histories and its summary. */
export const withHistory = { fields: { stream_meta_history_and_tool_results: true } }

/** Answers pending calls, and reads the response to its end. */
export function answer(session: string, results: Readonly<Record<string, string>>, query = '') {
  const tool_results = Object.entries(results).map(([tool_use_id, content]) => ({
    tool_use_id,
    content,
  }))
  return post(`/agent/tool_results${query}`, { agent_uuid: session, tool_results } as {
    agent_uuid: string
  })
}
