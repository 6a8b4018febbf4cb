import { createDecoder, createSseDecoder, DONE_DATA } from 'millrace'
import type { Agent } from 'millrace/agent'
import { serve } from 'millrace/node'
import { createMemoryStore, createMillrace } from 'millrace/server'
import type { Bench } from '../bench-case.ts'
import { demand } from '../deltas.ts'
import { measureInRounds } from '../measure.ts'
import { formatTable } from '../table.ts'

/** Runs at once, and the deltas of each. */
const RUNS = 20
const DELTAS = 200
const EVENTS = RUNS * DELTAS
const TEXT = 'thirty characters of an answer'
const rounds = { samples: 9, sampleMs: 400 }

/** An agent that emits one delta in each turn of the event loop, so that each is stored and read by itself. */
const talker: Agent = {
  name: 'talker',
  async *run({ agent }) {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const content = { type: 'text', text: '' }
    yield { type: 'run_start', agent, runId: 'r', prompt: 'go', model: 'm', messages: [] }
    yield { type: 'block_start', agent, block: 0, kind: 'text', content }
    for (let count = 0; count < DELTAS; count++) {
      await new Promise(setImmediate)
      yield { type: 'block_delta', agent, block: 0, text: TEXT }
    }
    yield { type: 'block_end', agent, block: 0, kind: 'text', content }
    const end = { stopReason: 'end_turn', steps: 1, usage, messages: [], files: [] }
    yield { type: 'run_end', agent, ...end }
  },
}

/** Measures live events from the agent to decoded events of a reader: in process, without a socket, and over a socket. */
export const inProcessBench: Bench = {
  name: 'in-process',
  run: async (onProgress) => {
    onProgress('in-process')
    const agents = { talker }
    const mill = createMillrace({ agents, defaultAgent: 'talker', store: createMemoryStore() })
    const server = await serve({ handler: mill, port: 0 })
    try {
      const works = [
        () => readAll(async () => lengthOf(await mill.sessions.start('go'))),
        () => readAll(() => readResponse((url, init) => mill.fetch(new Request(url, init)))),
        () => readAll(() => readResponse((url, init) => fetch(url, init), server.url)),
      ]
      const found = await measureInRounds(works, rounds)
      const least = works.map((_, index) => Math.min(...found.map((ms) => ms[index] ?? NaN)))
      const names = ['in process', 'handler without a socket', 'HTTP over a socket, both sides']
      const [inProcess = NaN, , http = NaN] = least
      const rows = least.map((ms, index) => [
        names[index] ?? '',
        ((ms / EVENTS) * 1_000).toFixed(1),
        (ms / inProcess).toFixed(2),
      ])
      return {
        text: `in-process: CPU of an event, ${RUNS} runs at once, from the agent through memory to a decoded event\n${formatTable([['', 'CPU µs', 'of in process'], ...rows])}`,
        faults: inProcess <= http ? [] : ['in process costs more than HTTP'],
      }
    } finally {
      await server.close()
    }
  },
}

/** Runs the reader of a run many times at once. */
async function readAll(read: () => Promise<number>): Promise<void> {
  const lengths = await Promise.all(Array.from({ length: RUNS }, read))
  demand(
    lengths.every((length) => length === DELTAS * TEXT.length),
    'a reader of the whole text',
  )
}

async function lengthOf(events: AsyncIterable<{ readonly type: string }>): Promise<number> {
  let length = 0
  for await (const event of events) length += textOf(event)
  return length
}

type Send = (url: string, init: RequestInit) => Promise<Response>

async function readResponse(send: Send, url = 'http://localhost'): Promise<number> {
  let length = 0
  const events = createDecoder()
  const frames = createSseDecoder({
    onEvent: ({ data, id }) => {
      if (data !== DONE_DATA) length += textOf(events.decode(data, Number(id)))
    },
  })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ user_prompt: 'go' })
  const response = await send(`${url}/agent/run`, { method: 'POST', headers, body })
  for await (const chunk of response.body ?? []) frames.feed(chunk)
  return length
}

function textOf(event: object | undefined): number {
  const isText = event !== undefined && 'type' in event && event.type === 'text'
  return isText && 'text' in event ? String(event.text).length : 0
}
