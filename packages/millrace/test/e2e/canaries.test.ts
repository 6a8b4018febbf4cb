import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { anthropic } from '../../src/models/anthropic/anthropic.ts'
import { openServerLog } from '../../src/node/log/server-log.ts'
import { openStore } from '../../src/node/open-store.ts'
import { serve } from '../../src/node/serve.ts'
import { openai } from '../../src/models/openai/openai.ts'
import { createHandler } from '../../src/server/handler.ts'
import type { Store } from '../../src/stores/port/store.ts'
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts'
import { defaultProtocols } from '../../src/protocols/registry/index.ts'
import { createEmulator, type Scenario } from 'millrace-tools/emulator'
import type { Model } from '../../src/events/index.ts'
import { anything } from '../support/agents/agent-harness.ts'
import { type Canaries, createCanaries, findLeaks, tellAll } from '../support/servers/canaries.ts'
import { builtCommand } from '../support/processes/example-process.ts'
import { recordFetch } from '../support/models/record-fetch.ts'
import { redisMissing, startRedis } from '../support/stores/redis-server.ts'

/** A text that may appear in every place: it proves that the search examines that place. */
const OPEN = 'opencanary'

const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

type Fetch = typeof globalThis.fetch

/** The fault of a gateway before the model's API, by the word in the prompt. */
const gatewayFaults: Readonly<Record<string, (text: string) => Response>> = {
  json: (text) =>
    Response.json(
      {
        type: 'error',
        error: { type: 'authentication_error', message: text, details: { seen: text } },
      },
      {
        status: 401,
        headers: {
          'request-id': `req ${text.split('\n')[0]}`,
          'x-debug': text.split('\n')[0] ?? '',
        },
      },
    ),
  html: (text) =>
    new Response(
      `<!DOCTYPE html><html><head><title>500 ${text.split('\n')[0]}</title></head><body><pre>${text}</pre></body></html>`,
      { status: 500, headers: { 'content-type': 'text/html', 'x-should-retry': 'false' } },
    ),
  bare: (text) =>
    new Response(`<p>${text}</p>`, { status: 400, headers: { 'content-type': 'text/html' } }),
  text: (text) => new Response(text, { status: 403 }),
  type: (text) => Response.json({ error: { type: text, message: 'no' } }, { status: 400 }),
  frame: (text) =>
    new Response(`data: ${text.replaceAll('\n', ' ')}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    }),
  event: (text) =>
    new Response(
      `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: text } })}\n\n`,
      { headers: { 'content-type': 'text/event-stream' } },
    ),
  socket: (text) => {
    throw new TypeError('fetch failed', { cause: new Error(`connect ECONNREFUSED ${text}`) })
  },
}

/** Answers like the emulator, unless the prompt requests a fault. */
function createGateway(inner: Fetch, canaries: Canaries, sent: string[]): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const body = await request.clone().text()
    sent.push(JSON.stringify([...request.headers]) + body)
    const [, fault = ''] = /fault:(\w+)/.exec(body) ?? []
    const fail = gatewayFaults[fault]
    return fail === undefined ? inner(request) : fail(tellAll(canaries))
  }
}

const scenario: Scenario = {
  name: 'canaries',
  summary: '',
  matches: () => true,
  reply: ({ step }) =>
    step === 0
      ? { blocks: [{ type: 'tool_use', name: 'leak', input: {} }] }
      : { blocks: [{ type: 'text', text: [`The ${OPEN} sings.`] }] },
}

function createLeakTool(canaries: Canaries) {
  return defineTool({
    name: 'leak',
    description: '',
    input: anything,
    run: () => {
      const { path: _, random: __, ...rest } = canaries
      const cause = new Error(tellAll(canaries))
      const error = new Error(`${OPEN}: ${tellAll({ ...rest, path: '', random: '' })}`, { cause })
      throw Object.assign(error, { headers: { authorization: canaries.bearer }, code: 'ELEAK' })
    },
  })
}

type OpenModel = (fetch: Fetch, canaries: Canaries) => Model

const adapters: Readonly<Record<string, OpenModel>> = {
  anthropic: (fetch, { shapedKey }) =>
    anthropic('emulated', { fetch, apiKey: shapedKey, baseURL: 'http://api.test', maxRetries: 0 }),
  openai: (fetch, { opaqueKey }) =>
    openai('emulated', { fetch, apiKey: opaqueKey, baseURL: 'http://api.test/v1', maxRetries: 0 }),
}

/** A store, and the content of its files once it is closed. */
interface OpenedStore {
  readonly store: Store
  readonly readBytes?: () => Promise<string>
}

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-canaries-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  return folder
}

async function readFolder(folder: string): Promise<string> {
  const names = await readdir(folder)
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
  return files.join('\n')
}

const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  memory: async () => ({ store: await openStore('memory:') }),
  sqlite: async () => {
    const folder = await openFolder()
    const store = await openStore(`sqlite:${join(folder, 'canaries.db')}`)
    return { store, readBytes: () => readFolder(folder) }
  },
  redis: async () => {
    const redis = await startRedis({ rdbcompression: 'no' })
    cleanups.push(() => redis.stop())
    const store = await openStore(redis.url)
    const readBytes = async (): Promise<string> => {
      await redis.admin.save()
      return readFolder(redis.dir)
    }
    return { store, readBytes }
  },
}

/** Logs in all forms, each with its lines. */
async function openLogs(token: string) {
  const forms = [
    { isPretty: false, logContent: false },
    { isPretty: false, logContent: true },
    { isPretty: true, logContent: false },
    { isPretty: true, logContent: true },
  ]
  return Promise.all(
    forms.map(async (form) => {
      const lines: string[] = []
      const write = (line: string): void => void lines.push(line)
      const log = await openServerLog({ ...form, secrets: [token], level: 'debug', write })
      return { name: `log ${JSON.stringify(form)}`, form, lines, log }
    }),
  )
}

/** Collects spans with their content. */
function openTraces() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  trace.setGlobalTracerProvider(provider)
  cleanups.push(async () => {
    trace.disable()
    context.disable()
    await provider.shutdown()
  })
  return () =>
    JSON.stringify(
      exporter
        .getFinishedSpans()
        // The provider's SDK writes separate spans, with headers of the response.
        .filter(({ instrumentationScope: { name } }) => name === 'millrace')
        .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    )
}

/** Runs a server, causes every failure in it, and returns all data that has left it. */
async function play(
  openModel: OpenModel,
  openOwn: () => Promise<OpenedStore>,
  canaries: Canaries,
  secrets: readonly string[] = [canaries.words],
) {
  process.env['MILLRACE_CANARY_SECRET'] = canaries.variable
  cleanups.push(async () => void delete process.env['MILLRACE_CANARY_SECRET'])
  const spans = openTraces()
  const logs = await openLogs(canaries.token)
  const { store, readBytes } = await openOwn()
  const emulator = createEmulator({ pace: 'instant', seed: 'canaries', scenarios: [scenario] })
  const sent: string[] = []
  const recorded = recordFetch(createGateway(emulator.fetch, canaries, sent))
  const telemetry = await openTelemetry({ captureContent: true })
  const agent = createAgent({
    name: 'bird',
    model: openModel(recorded.fetch, canaries),
    tools: [createLeakTool(canaries)],
    telemetry,
    retries: 0,
    onError: (error) => logs.forEach(({ log }) => log.onError(error)),
  })
  const handler = createHandler({
    agents: { bird: agent },
    defaultAgent: 'bird',
    store,
    token: canaries.token,
    outbound: { secrets },
    observers: logs.map(({ log }) => log.observer),
    onError: (error, place) => logs.forEach(({ log }) => log.onError(error, place)),
    title: async () => Promise.reject(new Error(tellAll(canaries))),
  })
  const server = await serve({
    handler,
    port: 0,
    onRequest: (request) => logs.forEach(({ log }) => log.onRequest(request)),
  })
  const headers = {
    authorization: `Bearer ${canaries.token}`,
    'content-type': 'application/json',
    cookie: `session=${canaries.cookie}`,
    'x-api-key': canaries.header,
    'x-forwarded-authorization': `Bearer ${canaries.bearer}`,
  }
  const places = new Map<string, string>()
  const read = async (name: string, path: string, body?: object): Promise<void> => {
    const method = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${server.url}${path}`, { headers, ...method })
    places.set(name, JSON.stringify([...response.headers]) + (await response.text()))
  }
  const sessions: string[] = []
  for (const fault of ['', ...Object.keys(gatewayFaults)]) {
    const session = crypto.randomUUID()
    sessions.push(session)
    const prompt = fault === '' ? 'sing' : `fault:${fault}`
    await read(`run ${fault}`, `/agent/run?key=${canaries.parameter}`, {
      agent_uuid: session,
      user_prompt: prompt,
    })
    for (const { name: format } of defaultProtocols()) {
      await read(`${format} ${fault}`, `/agent/${session}/stream?format=${format}`)
    }
    for (const rest of ['', '/conversations', '/times'])
      await read(`${rest} ${fault}`, `/agent/${session}${rest}`)
  }
  const url = `https://ann:${canaries.password}@169.254.169.254/?key=${canaries.parameter}`
  await read('refused URL', '/agent/run', {
    user_prompt: [{ type: 'image', source: { type: 'url', url } }],
  })
  await read('sessions', '/agent/sessions')
  await read('health', `/health?key=${canaries.parameter}`)
  await read('missing', `/agent/nowhere?token=${canaries.parameter}`)
  await server.close()
  await store.close()
  for (const { name, lines } of logs) places.set(name, lines.join('\n'))
  recorded.recordings.forEach((recording, index) => {
    const bodies = [recording.request?.body, ...recording.chunks].flatMap((part) =>
      part !== undefined && 'bytes' in part ? [Buffer.from(part.bytes).toString()] : [],
    )
    places.set(`recording ${index}`, JSON.stringify(recording) + bodies.join(''))
  })
  places.set('requests to the provider', sent.join('\n'))
  places.set('traces', spans())
  if (readBytes !== undefined) places.set('store', await readBytes())
  return places
}

describe.each(Object.keys(stores))('on %s', (kind) => {
  const isMissing = kind === 'redis' && redisMissing !== ''

  test.skipIf(isMissing).each(Object.entries(adapters))(
    `planted secrets never leave the server, with %s${kind === 'redis' ? redisMissing : ''}`,
    async (name, openModel) => {
      const made = createCanaries()
      // The key of another provider, without a recognizable form, is not a secret of this process.
      const canaries = name === 'openai' ? made : { ...made, opaqueKey: made.shapedKey }
      const places = await play(openModel, stores[kind] ?? stores['memory']!, canaries)
      const { path: _path, random: _random, ...secrets } = canaries
      const provider = 'requests to the provider'
      const leaks = findLeaks(secrets, places)
      expect(leaks.filter(({ where }) => where !== provider)).toEqual([])
      // The provider gets its own key, and no header of a client.
      const ofProvider = leaks.filter(({ where }) => where === provider)
      const keys = name === 'openai' ? ['opaqueKey'] : ['shapedKey', 'opaqueKey']
      expect(ofProvider.map(({ canary }) => canary)).toEqual(keys)
      // Paths and random texts are content in a tool's own error, and the log of content has the original; no other output has them.
      const shown = [...places].filter(
        ([name]) => !name.startsWith('log') && !name.startsWith('recording'),
      )
      expect(findLeaks({ path: canaries.path, random: canaries.random }, new Map(shown))).toEqual(
        [],
      )
      // The search works: the answer is in every place in which content is allowed.
      const expected = [
        'run ',
        '/conversations ',
        ...defaultProtocols().map(({ name }) => `${name} `),
        ...[...places.keys()].filter(
          (name) => name.startsWith('log') && name.includes('"logContent":true'),
        ),
        'traces',
        ...(kind === 'memory' ? [] : ['store']),
      ]
      const found = findLeaks({ words: OPEN }, places).map(({ where }) => where)
      expect(found).toEqual(expect.arrayContaining(expected))
      expect(found.some((name) => name.startsWith('recording'))).toBe(true)
    },
  )
})

test('an unmasked canary is found wherever errors are reported', async () => {
  const made = createCanaries()
  const canaries = { ...made, opaqueKey: made.shapedKey }
  const places = await play(adapters['anthropic']!, stores['sqlite']!, canaries, [])
  const found = findLeaks({ words: canaries.words }, places).map(({ where }) => where)
  const failed = Object.keys(gatewayFaults).filter((name) => !['type', 'frame'].includes(name))
  expect(found).toEqual(
    expect.arrayContaining([
      'run ',
      ...failed.flatMap((fault) => [`run ${fault}`, `json ${fault}`, `ai-sdk ${fault}`]),
      'log {"isPretty":false,"logContent":true}',
      'log {"isPretty":true,"logContent":true}',
      'traces',
      'store',
    ]),
  )
})

/** Runs the command line on a module, and returns its whole output. */
async function crash(source: string, env: Readonly<Record<string, string>>): Promise<string> {
  const file = join(await openFolder(), 'agents.mjs')
  await writeFile(file, source)
  const args = [builtCommand, 'serve', file, '--port', '0', '--store', 'memory:']
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
  let written = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (bytes: Uint8Array) => (written += String(bytes)))
  }
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(1)
  return written
}

test.each([
  ['while its module is loaded', 'throw failure'],
  ['later', 'setTimeout(() => { throw failure }, 1_000)'],
  ['in a promise', 'setTimeout(() => { void Promise.reject(failure) }, 1_000)'],
])('a process that crashes %s reveals no secret', async (_, how) => {
  const canaries = createCanaries()
  const text = `${OPEN} ${tellAll(canaries)}`
  const source = `
    const failure = new Error(${JSON.stringify(text)}, { cause: new Error(${JSON.stringify(text)}) })
    failure.request = { headers: { authorization: ${JSON.stringify(canaries.bearer)} } }
    export const agent = { name: 'bird', run: async function* () {} }
    ${how}
  `
  const env = {
    CANARY_API_KEY: canaries.opaqueKey,
    CANARY_SECRET: canaries.variable,
    CANARY_PASSWORD: canaries.words,
    CANARY_TOKEN: canaries.token,
  }
  const written = await crash(source, env)
  expect(written).toContain(OPEN)
  const { path: _path, random: _random, ...secrets } = canaries
  expect(findLeaks(secrets, new Map([['output', written]]))).toEqual([])
})
