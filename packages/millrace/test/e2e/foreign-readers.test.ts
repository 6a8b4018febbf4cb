import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSession, type Session } from '../../src/public/client.ts'
import { finalText } from '../../src/public/index.ts'
import { defaultProtocols } from '../../src/protocols/registry/index.ts'
import { decodeSse, type SseEvent } from '../../src/sse/index.ts'
import { checkTable } from '../support/repository/check-table.ts'
import { kits } from '../support/foreign/kits.ts'

/** Frames of a response after which a reader is cut. */
const CUT_AFTER = 4

const formats = defaultProtocols().map(({ name }) => name)
const script = fileURLToPath(new URL('../support/foreign/serve-foreign.ts', import.meta.url))
const children = new Set<ChildProcess>()
let folder = ''
let url = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foreign-readers-'))
  url = await start('steady')
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Starts a server of all kits in a process, on the same file and port as the one before; resolves with its address. */
async function start(speed: string): Promise<string> {
  const loader = ['--import', import.meta.resolve('tsx')]
  const args = [...loader, script, join(folder, 'runs.db'), speed, new URL(url || 'a:').port || '0']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`The server has ended with ${code}.`)))
  })
}

async function killServer(): Promise<void> {
  for (const child of children) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  children.clear()
}

/** Starts a run of the kit with a number; resolves with its session once the run has begun. */
async function prompt(kit: number, text: string): Promise<string> {
  const session = crypto.randomUUID()
  const body = { agent_uuid: session, agent_type: `kit${kit}`, user_prompt: text }
  const response = await fetch(`${url}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  await response.body?.cancel()
  return session
}

/** A reader of one format that keeps its frames over cuts. */
function openReader(session: string, format: string) {
  const frames: SseEvent[] = []
  /** Reads on after the last frame with an id. Resolves with whether the stream was complete. */
  const read = async (limit = Infinity): Promise<boolean> => {
    const last = frames.findLast(({ id }) => id !== undefined)?.id
    // Frames after the last id are sent again.
    frames.length = frames.findLastIndex(({ id }) => id !== undefined) + 1
    const controller = new AbortController()
    const response = await fetch(
      `${url}/agent/${session}/stream?format=${format}&compact=0${last === undefined ? '&after=0' : ''}`,
      {
        headers: last === undefined ? {} : { 'last-event-id': last },
        signal: controller.signal,
      },
    )
    expect(response.status).toBe(200)
    let count = 0
    for await (const events of decodeSse(response.body ?? new ReadableStream())) {
      for (const event of events) {
        frames.push(event)
        if (++count < limit) continue
        controller.abort()
        return false
      }
    }
    return true
  }
  const data = () => frames.map((frame) => frame.data)
  return { read, data }
}

/** Reads a stream to its end and cuts it again and again; resolves with the number of cuts. */
async function readInPieces({ read }: ReturnType<typeof openReader>): Promise<number> {
  let cuts = 0
  while (!(await read(CUT_AFTER))) cuts++
  return cuts
}

async function readWhole(session: string, format: string): Promise<readonly string[]> {
  const reader = openReader(session, format)
  expect(await reader.read()).toBe(true)
  return reader.data()
}

/** Opens a session of the client library. Its first response is cut after a number of chunks, which `isCut` returns. */
function openClient(session: string, cutAfter = Infinity) {
  let left = cutAfter
  const cut = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk)
        if (--left === 0) controller.error(new TypeError('cut'))
      },
    })
  const client = createSession({
    url,
    session,
    retryDelayMs: 10,
    fetch: async (address, init) => {
      const response = await fetch(address, init)
      if (response.body === null || left <= 0) return response
      return new Response(response.body.pipeThrough(cut()), response)
    },
  })
  return { client, isCut: () => left <= 0 }
}

const textOf = (session: Session): string => finalText(session.getSnapshot().transcript)

/** The final answer to the prompt of the killed server. */
const LONG = /^You asked for forever\..*Done\.$/

/** The last frames of the formats without `[DONE]`. */
const ends: Readonly<Record<string, RegExp>> = { raw: /"message_stop"/, 'ag-ui': /"RUN_FINISHED"/ }
const endOf = (format: string): RegExp => ends[format] ?? /^\[DONE\]$/

/** The name of the client library in the table of the guide. */
const CLIENT = 'the client library'

/** The scenarios that each reader has passed, by the title of the kit and the name of the reader. */
const passed = new Map<string, readonly string[]>()

function pass(title: string, reader: string, scenario: string): void {
  const key = `${title} ${reader}`
  passed.set(key, [...(passed.get(key) ?? []), scenario])
}

const numbered = kits.map(({ title }, index) => ({ title, index }))

describe.each(numbered)('$title', ({ title, index }) => {
  test.each(formats)('a whole run, and one whose reader is cut: %s', async (format) => {
    const session = await prompt(index, 'tool please')
    const [whole, cut] = [openReader(session, format), openReader(session, format)]
    const pieces = readInPieces(cut)
    expect(await whole.read()).toBe(true)
    expect(whole.data().join('')).toContain(' a grain')
    expect(whole.data().at(-1)).toMatch(endOf(format))
    expect(await readWhole(session, format)).toEqual(whole.data())
    pass(title, format, 'whole')
    expect(await pieces).toBeGreaterThan(1)
    expect(cut.data()).toEqual(whole.data())
    pass(title, format, 'cut')
  })

  test.each(['whole', 'cut'])('a run with the client library: %s', async (scenario) => {
    const session = await prompt(index, 'tool please')
    const { client, isCut } = openClient(session, scenario === 'cut' ? 1 : Infinity)
    await client.watch()
    expect(isCut()).toBe(scenario === 'cut')
    expect(textOf(client)).toBe('The tool said: rye is a grain')
    expect(client.getSnapshot().transcript.status).toBe('complete')
    client.close()
    pass(title, CLIENT, scenario)
  })
})

describe('a killed server process', () => {
  const sessions: string[] = []
  const readers: ReturnType<typeof openReader>[][] = []
  const clients: Session[] = []
  const watched: Promise<void>[] = []

  beforeAll(async () => {
    sessions.push(...(await Promise.all(kits.map((_, index) => prompt(index, 'forever')))))
    for (const session of sessions) {
      const { client } = openClient(session)
      clients.push(client)
      watched.push(client.watch())
      readers.push(formats.map((format) => openReader(session, format)))
    }
    const reading = readers.flat().map((reader) => reader.read(CUT_AFTER))
    expect(await Promise.all(reading)).not.toContain(true)
    await vi.waitUntil(() => clients.every((client) => textOf(client).length > 20), {
      timeout: 20_000,
    })
    await killServer()
    expect(clients.map(textOf)).not.toContainEqual(expect.stringMatching(LONG))
    url = await start('instant')
  })

  afterAll(() => clients.forEach((client) => client.close()))

  describe.each(numbered)('$title', ({ title, index }) => {
    test.each(formats.map((format, at) => ({ format, at })))('$format', async ({ format, at }) => {
      const reader = readers[index]?.[at]
      expect(await reader?.read()).toBe(true)
      expect(reader?.data().join('')).toContain('Done.')
      expect(reader?.data().at(-1)).toMatch(endOf(format))
      expect(await readWhole(sessions[index] ?? '', format)).toEqual(reader?.data())
      pass(title, format, 'killed')
    })

    test(CLIENT, async () => {
      await watched[index]
      const client = clients[index]
      expect(client && textOf(client)).toMatch(LONG)
      expect(client?.getSnapshot().transcript.status).toBe('complete')
      pass(title, CLIENT, 'killed')
    })
  })
})

test('the guide has the scenarios that each reader passes (npm test -- --only e2e --update)', () => {
  const rows = [...formats, CLIENT].map((reader) => [
    formats.includes(reader) ? `\`${reader}\`` : reader,
    ...kits.map(({ title }) => passed.get(`${title} ${reader}`)?.join(', ') ?? 'no'),
  ])
  checkTable('agents-from-elsewhere.md', 'readers', [
    ['reader', ...kits.map(({ title }) => title)],
    ...rows,
  ])
})
