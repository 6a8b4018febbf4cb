import { afterEach, expect, test } from 'vitest'
import { createFrameLog } from '../../../apps/studio/src/session/frames/frame-log.ts'
import { createTranscript, reduceTranscript } from '../src/client/transcript/index.ts'
import {
  decodeEnvelope,
  type EnvelopeTraits,
  type AgentEvent,
  createDecoder,
  createVerifier,
  noUsage,
} from '../src/events/index.ts'
import { withRow } from '../src/events/catalog/find-traits.ts'
import type { Agent } from '../src/agent/port/index.ts'
import { agUiFormat } from '../src/protocols/ag-ui/ag-ui-format.ts'
import { aiSdkFormat } from '../src/protocols/ai-sdk/ui-writer.ts'
import type { LogFormat } from '../src/protocols/port/log-format.ts'
import { openFormat } from '../src/protocols/port/open-format.ts'
import { createHandler, type Handler } from '../src/server/handler.ts'
import { createMemoryStore } from '../src/stores/memory/index.ts'

/** The row of a type that does not exist, added according to CONTRIBUTING.md. */
const row: EnvelopeTraits = {
  delta: 'json',
  step: 'outside',
  needsClosedBlocks: true,
  event: 'grain_sorted',
  members: { kilograms: ['kilograms', 'number'], mill: 'mill_name' },
  fallback: 'data',
}

const agent = '00000000-0000-4000-8000-000000000000'
// No agent of ours emits it, so no type names it.
const sorted = { type: 'grain_sorted', agent, kilograms: 3, mill: 'Brook' } as unknown as AgentEvent
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A generator that emits the event while its text is open. */
const sorter: Agent = {
  name: 'sorter',
  async *run({ prompt = '' }): AsyncGenerator<AgentEvent> {
    yield { type: 'run_start', agent, runId: 'r', prompt, model: 'm', messages: [] }
    yield { type: 'block_start', agent, block: 0, kind: 'text', content: { type: 'text' } }
    yield { type: 'block_delta', agent, block: 0, text: 'Rye.' }
    yield sorted
    const end = { type: 'run_end', agent, stopReason: 'end_turn', steps: 0 } as const
    yield { ...end, usage: noUsage, messages: [], files: [] }
  },
}

/** The frames of a run of the agent as received by a client, and the violations that the server found. */
async function runSorter() {
  const violations: unknown[] = []
  const handler = createHandler({
    agents: { sorter },
    defaultAgent: 'sorter',
    store: createMemoryStore(),
    onViolation: (violation) => violations.push(violation),
  })
  handlers.push(handler)
  const read = async (query: string): Promise<readonly string[]> => {
    const url = `http://localhost/agent/${query}`
    const text = await (await handler.fetch(new Request(url))).text()
    return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  }
  const body = JSON.stringify({ agent_uuid: agent, user_prompt: 'Sort.' })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost/agent/run', { method: 'POST', headers, body })
  await (await handler.fetch(request)).text()
  const lines = (await read(`${agent}/stream`)).filter((data) => data.startsWith('{'))
  return { lines, violations, read }
}

function violationsOf(lines: readonly string[]): readonly string[] {
  const verifier = createVerifier()
  return [...lines.flatMap((line) => [...verifier.push(line)]), ...verifier.end(true)].map(
    ({ rule }) => rule,
  )
}

function framesOf(format: LogFormat, lines: readonly string[]): readonly unknown[] {
  const writer = openFormat(format, agent)
  return lines
    .flatMap((line, index) => [...writer.writeLine(line, index + 1, 1)])
    .map(({ data }) => JSON.parse(data ?? '') as unknown)
}

/** Runs the agent, and a check of its frames, with the row in the catalogue. */
const withType = (check: (run: Awaited<ReturnType<typeof runSorter>>) => void, traits = row) =>
  withRow('meta_grain', traits, async () => check(await runSorter()))

test('one row converts an event of an agent to its frame and back', async () => {
  await withType(({ lines, violations }) => {
    // The row requires that open blocks are closed.
    const types = lines.map((line) => decodeEnvelope(line).type)
    expect(types).toEqual(['meta_init', 'text', 'text', 'meta_grain', 'meta_end'])
    expect(violations).toEqual([])
    expect(decodeEnvelope(lines.at(-2)!).delta).toBe('{"kilograms":3,"mill_name":"Brook"}')
    const decoder = createDecoder()
    const event = lines.map((line) => decoder.decode(line)).at(-2)
    expect(event).toMatchObject({ type: 'grain_sorted', agent, kilograms: 3, mill: 'Brook' })
  })
})

test('without a row, the run ends with an error', async () => {
  const { lines } = await runSorter()
  const types = lines.map((line) => decodeEnvelope(line).type)
  expect(types.slice(-2)).toEqual(['error', 'meta_end'])
})

test('the row allows only the server to send it', async () => {
  await withType(
    ({ lines }) => {
      const [error] = lines.slice(-2).map((line) => decodeEnvelope(line))
      expect(error).toMatchObject({ type: 'error' })
      expect(error?.delta).toContain('grain_sorted, which only the server sends')
    },
    { ...row, sender: 'server' },
  )
})

test('the verifier takes allowed positions from the row', async () => {
  await withType(({ lines }) => {
    const [init = '', said = '', , grain = '', over = ''] = lines
    expect(violationsOf([init, grain, over])).toEqual([])
    expect(violationsOf([init, said, grain, over])).toContain('LIFE-2')
    expect(violationsOf([init, over, grain])).toContain('LIFE-6')
  })
})

test('the transcript continues after it', async () => {
  await withType(({ lines }) => {
    const decoder = createDecoder({ after: 0 })
    const after = lines.reduce(
      (transcript, line, index) =>
        reduceTranscript(transcript, decoder.decode(line, index + 1), index + 1),
      createTranscript(),
    )
    expect([after.status, after.lastId]).toEqual(['complete', lines.length])
  })
})

test('protocols send it as a value, or omit it according to the row', async () => {
  await withType(({ lines }) => {
    const value = { kilograms: 3, mill_name: 'Brook' }
    expect(framesOf(aiSdkFormat(), lines)).toContainEqual(
      expect.objectContaining({ type: 'data-grain_sorted', data: expect.objectContaining(value) }),
    )
    expect(framesOf(agUiFormat(), lines)).toContainEqual(
      expect.objectContaining({ type: 'CUSTOM', value: expect.objectContaining(value) }),
    )
  })
  const { fallback: _, ...dropped } = row
  await withType(({ lines }) => {
    expect(JSON.stringify(framesOf(aiSdkFormat(), lines))).not.toContain('grain')
  }, dropped)
})

test('the server sends it in a format', async () => {
  await withRow('meta_grain', row, async () => {
    const { read } = await runSorter()
    expect(await read(`${agent}/stream?format=ai-sdk`)).toContainEqual(
      expect.stringContaining('"type":"data-grain_sorted"'),
    )
  })
})

test('the wire pane of Studio shows its frame and its event', async () => {
  await withType(({ lines }) => {
    const log = createFrameLog({ schedule: (callback) => callback() })
    for (const [index, data] of lines.entries()) log.add({ id: index + 1, data })
    const frame = log.getSnapshot().frames.at(-2)
    expect(frame).toMatchObject({ type: 'meta_grain', event: { type: 'grain_sorted' } })
  })
})
