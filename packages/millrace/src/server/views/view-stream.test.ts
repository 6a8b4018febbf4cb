import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyMove, playRun } from '../../../test/support/agents/any-run.ts'
import { readLog, type Received, toSight } from '../../../test/support/frames/log-client.ts'
import { runs } from '../../../test/support/runs.ts'
import {
  createEnvelopeWriter,
  catalog,
  createJoiner,
  decodeEnvelope,
  encodeEnvelope,
  type Envelope,
  type EnvelopeType,
  traitsOf,
  createVerifier,
} from '../../events/index.ts'
import { chunkPayload } from '../../events/envelope/chunk.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Appended, Store } from '../../stores/port/index.ts'
import { createTranscript, endTranscript } from '../../client/transcript/index.ts'
import { createFeeds } from '../feeds/feed.ts'
import { createCompletion, type Completion, completedAt } from '../reading/completion.ts'
import { readFrames } from '../reading/log-reader.ts'
import {
  createViewRules,
  type HidableType,
  joinViews,
  type View,
  withoutThinking,
  withoutToolInternals,
} from './view-rules.ts'
const encoder = new TextEncoder()
const session = 'a1'

async function createLog(lines: readonly string[]): Promise<Store> {
  const store = createMemoryStore()
  await store.open(session)
  await append(store, 0, lines)
  return store
}

const append = (store: Store, tail: number, lines: readonly string[]): Promise<Appended> =>
  store.append({ session, epoch: 1, tail, lines: lines.map((line) => encoder.encode(line)) })

interface Viewing {
  readonly view: View
  readonly completion: Completion
  readonly tail?: number
  readonly heartbeatMs?: number
  readonly maxLineBytes?: number
}

const opener = (store: Store, { view, heartbeatMs = 10_000, ...options }: Viewing) => {
  const feeds = createFeeds({ store, heartbeatMs })
  const rules = createViewRules(view, session)
  const bounds = { heartbeatMs, maxLineBytes: 2_048, maxChunkBytes: 4_096 }
  return (after: number) =>
    readFrames({ store, feeds, session, after, ...bounds, ...options, view: rules })
}

/** Returns the frames that a reader with this view gets of a completed log. */
async function see(lines: readonly string[], view: View, after = 0) {
  const store = await createLog(lines)
  return readLog(opener(store, { view, completion: completedAt(lines.length) }), { after })
}

const message = (type: string, delta: string, extras: object = {}): string =>
  encodeEnvelope({ type, agent: session, final: true, delta, ...extras })

const init = message('meta_init', '{"user_query":"q","model":"m"}')
const end = message('meta_end', '{"stop_reason":"end_turn","usage":{"a":1},"cost":2}')
const short = ({ id, envelope }: Received) => [id, envelope.span ?? 1, envelope.type]

const hidable = Object.keys(catalog).filter(
  (type) => traitsOf(type)?.isNeeded !== true,
) as HidableType[]
const anyView = fc.record({
  hiddenTypes: fc.subarray(hidable),
  hidesOther: fc.boolean(),
  fields: fc.dictionary(
    fc.constantFrom<EnvelopeType>('tool_call', 'tool_result', 'text', 'citation', 'tool_status'),
    fc.constant(['delta']),
  ),
  payloads: fc.dictionary(
    fc.constantFrom<EnvelopeType>('meta_init', 'meta_end', 'awaiting_frontend_tools', 'error'),
    fc.subarray(['user_query', 'usage', 'input', 'message', 'run_id']),
  ),
})
const toAnyView = (value: typeof anyView extends fc.Arbitrary<infer T> ? T : never): View => ({
  hiddenTypes: value.hiddenTypes,
  hiddenFields: { ...value.fields, ...value.payloads },
  ...(value.hidesOther && { hidesAgent: (agent: string) => agent !== session }),
})

const anyLines = fc
  .record({ moves: fc.array(anyMove, { maxLength: 40 }), isLive: fc.boolean() })
  .map(({ moves, isLive }) => {
    const writer = createEnvelopeWriter({ maxBytes: 512, toolInput: isLive ? 'live' : 'buffered' })
    const first = { agent: session, does: 'step', kind: 'text', text: '', pick: 0 } as const
    const citation = { type: 'char_location' as const, cited_text: '', title: '', odd: {} }
    const { events } = playRun([{ ...first, citation }, ...moves], isLive)
    return events.flatMap((event) => writer.write(event))
  })

describe('[LOG-7] a view', () => {
  test('yields the same for any cursor, disconnect, resume and merge, without gaps, up to the last id', async () => {
    const range = fc.record({
      lines: anyLines,
      view: anyView,
      cuts: fc.array(fc.nat(3_000), { maxLength: 5 }),
      tail: fc.nat(200),
    })
    await fc.assert(
      fc.asyncProperty(range, async ({ lines, view, cuts, tail }) => {
        const store = await createLog(lines)
        const viewing = {
          view: toAnyView(view),
          completion: completedAt(lines.length),
          maxLineBytes: 512,
        }
        const whole = await readLog(opener(store, viewing))
        const cut = await readLog(opener(store, { ...viewing, tail }), { cuts })
        expect(toSight(cut.transcript)).toEqual(toSight(whole.transcript))
        expect(whole.transcript.lastId).toBe(lines.length)
        for (const { data } of [...whole.received, ...cut.received]) {
          expect(encoder.encode(data).length).toBeLessThanOrEqual(512)
        }
      }),
      { numRuns: runs(100, 3_000) },
    )
  })

  test('omits only hidden types and agents', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLines,
        fc.subarray(hidable),
        fc.boolean(),
        async (lines, types, alone) => {
          // Histories would be hidden too.
          const view = { hiddenTypes: types, ...(alone && { hidesAgent: () => true }) }
          const visible = lines.map(decodeEnvelope).filter(({ type, agent }) => {
            return !types.includes(type as HidableType) && (!alone || agent === session)
          })
          const reduce = createFrameReducer()
          const expected = visible.reduce(
            (sum, envelope) => reduce(sum, envelope),
            createTranscript(lines.length),
          )
          const { transcript } = await see(lines, view)
          expect(toSight(transcript)).toEqual(toSight(endTranscript(expected)))
        },
      ),
    )
  })

  test('hidden content is in no byte, and the rest conforms to the protocol', async () => {
    const writer = createEnvelopeWriter({ maxBytes: 512, history: true, toolInput: 'live' })
    const agent = session
    const usage = { input_tokens: 0, output_tokens: 0 }
    const secret = (kind: string) => `SECRET ${kind} `.repeat(60)
    const content = { type: 'tool_use', id: 't', name: 'f', input: {} }
    const calls = [{ id: 't', name: 'f', inputText: `{"x":"${secret('awaited')}"}` }]
    const messages = [
      { role: 'user' as const, content: [{ type: 'text', text: secret('history') }] },
    ]
    const lines = [
      writer.write({ type: 'run_start', agent, runId: 'r', prompt: 'q', model: 'm', messages }),
      writer.write({
        type: 'block_start',
        agent,
        block: 0,
        kind: 'thinking',
        content: { type: 'thinking' },
      }),
      writer.write({ type: 'block_delta', agent, block: 0, text: secret('thinking') }),
      writer.write({
        type: 'block_end',
        agent,
        block: 0,
        kind: 'thinking',
        content: { type: 'thinking' },
      }),
      writer.write({ type: 'block_start', agent, block: 1, kind: 'tool_call', content }),
      ...['{"x":"', secret('input'), '"}'].map((text) =>
        writer.write({ type: 'block_delta', agent, block: 1, text }),
      ),
      writer.write({ type: 'block_end', agent, block: 1, kind: 'tool_call', content }),
      writer.write({ type: 'step_end', agent, step: 1, stopReason: 'tool_use', usage }),
      writer.write({
        type: 'tool_status',
        agent,
        callId: 't',
        name: 'f',
        stage: 'approved',
        detail: secret('status'),
      }),
      writer.write({
        type: 'tool_result',
        agent,
        callId: 't',
        name: 'f',
        text: secret('result'),
        images: [{ src: secret('image'), mediaType: 'image/png' }],
        isError: false,
      }),
      writer.write({ type: 'awaiting_frontend_tools', agent, calls }),
      writer.write({
        type: 'run_end',
        agent,
        stopReason: 'end_turn',
        steps: 1,
        usage,
        messages,
        files: [],
      }),
    ].flat()
    const view = joinViews(withoutThinking, withoutToolInternals)
    for (let after = 0; after <= lines.length; after++) {
      const { received } = await see(lines, view, after)
      expect(JSON.stringify(received)).not.toContain('SECRET')
      const verifier = createVerifier({ isResumed: after > 0 })
      const faults = received.flatMap(({ data, id }) => verifier.push(data, id))
      // A result may follow a pause only by another request, and this log has both.
      expect(faults.filter(({ rule }) => rule !== 'LIFE-6')).toEqual([])
    }
    const { received } = await see(lines, view)
    const joiner = createJoiner()
    const whole = received.flatMap(({ envelope }) => joiner.push(envelope) ?? [])
    const reports = (type: string): Envelope | undefined => whole.find((one) => one.type === type)
    expect(JSON.parse(reports('meta_init')?.delta ?? '')).not.toHaveProperty('message_history')
    expect(JSON.parse(reports('meta_init')?.delta ?? '')).toMatchObject({
      user_query: 'q',
      model: 'm',
    })
    expect(reports('tool_call')).toMatchObject({ delta: '{}', name: 'f', id: 't' })
    expect(reports('tool_result')).toMatchObject({ delta: '', name: 'f', id: 't' })
    expect(reports('awaiting_frontend_tools')?.delta).toBe('[{"tool_use_id":"t","name":"f"}]')
    expect(reports('meta_final')?.delta).not.toContain('conversation_history')
    expect(reports('thinking')).toBeUndefined()
  })
})

describe('[LOG-7] ids', () => {
  const thoughts = Array.from({ length: 5 }, () => message('thinking', 'h', { final: false }))

  test('the next frame counts the omitted ones before it', async () => {
    const { received } = await see([init, ...thoughts, message('text', ''), end], withoutThinking)
    expect(received.map(short)).toEqual([
      [1, 1, 'meta_init'],
      [7, 6, 'text'],
      [8, 1, 'meta_end'],
    ])
  })

  test('[LOG-8] a frame without room for a span is preceded by a placeholder', async () => {
    const full = message('text', 'x'.repeat(2_048 - message('text', '', { final: false }).length), {
      final: false,
    })
    expect(full).toHaveLength(2_048)
    const { received } = await see([init, ...thoughts, full, end], withoutThinking)
    expect(received.map(short)).toEqual([
      [1, 1, 'meta_init'],
      [6, 5, 'hidden'],
      [7, 1, 'text'],
      [8, 1, 'meta_end'],
    ])
  })

  test('[LOG-8] the end is reached if the last frames are hidden', async () => {
    const files = message('meta_files', '{"files":[]}')
    const { received, transcript } = await see([init, end, files], { hiddenTypes: ['meta_files'] })
    expect(received.map(short)).toEqual([
      [1, 1, 'meta_init'],
      [2, 1, 'meta_end'],
      [3, 1, 'hidden'],
    ])
    expect(transcript).toMatchObject({ lastId: 3, status: 'complete' })
    expect([...transcript.agents]).toHaveLength(1)
    const all = await see([init, end, files], { hiddenTypes: ['meta_files'] }, 2)
    expect(all.received.map(short)).toEqual([[3, 1, 'hidden']])
  })

  test('[LOG-8] a reader gets placeholders while everything is hidden', async () => {
    const store = await createLog([init])
    const completion = createCompletion()
    const found = readLog(opener(store, { view: withoutThinking, completion, heartbeatMs: 5 }))
    for (let tail = 1; tail < 40; tail += 3) {
      await append(store, tail, thoughts.slice(0, 3))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    completion.complete(40)
    const { received, transcript } = await found
    expect(received.filter(({ envelope }) => envelope.type === 'hidden').length).toBeGreaterThan(2)
    expect(transcript.lastId).toBe(40)
  })
})

describe('[LOG-9] fields', () => {
  test('a block with hidden content only opens and closes', async () => {
    const piece = (final: boolean, delta = 'secret') =>
      message('tool_result', delta, { final, id: 't', name: 'f' })
    const lines = [init, piece(false), piece(false), piece(false), piece(true), end]
    const { received } = await see(lines, { hiddenFields: { tool_result: ['delta'] } })
    const opening = { id: 't', name: 'f', final: false, delta: '' }
    expect(received.map(short)).toEqual([
      [1, 1, 'meta_init'],
      [2, 1, 'tool_result'],
      [5, 3, 'tool_result'],
      [6, 1, 'meta_end'],
    ])
    expect(received[1]?.envelope).toMatchObject(opening)
    expect(received[2]?.envelope).toMatchObject({ ...opening, final: true })
  })

  test('members of JSON are removed from every chunk, for any cursor', async () => {
    const history = Array.from({ length: 80 }, (_, n) => ({ role: 'user', content: `secret ${n}` }))
    const meta = {
      format: 'json',
      message_history: history,
      user_query: 'q'.repeat(900),
      model: 'm',
    }
    const payload = JSON.stringify(meta)
    const pieces = [...chunkPayload({ type: 'meta_init', agent: session, payload, maxBytes: 512 })]
    const lines = [...pieces, end]
    const view = { hiddenFields: { meta_init: ['message_history'], meta_end: ['usage', 'cost'] } }
    const deltas: string[] = []
    for (let after = lines.length - 1; after >= 0; after--) {
      const { received } = await see(lines, view, after)
      const [first] = received
      if (first?.id === after + 1 && first.envelope.span === undefined) {
        deltas.unshift(first.envelope.delta)
      }
      expect(received.map(({ envelope }) => envelope.delta).join('')).not.toContain('secret')
    }
    const { received } = await see(lines, view)
    const metas = received.filter(({ envelope }) => envelope.type === 'meta_init')
    const { message_history: _, ...rest } = meta
    expect(JSON.parse(metas.map(({ envelope }) => envelope.delta).join(''))).toEqual(rest)
    // A resumed reader gets the same chunks as a continuous one.
    expect(deltas.join('')).toContain(received.at(-1)?.envelope.delta)
    expect(received.at(-1)?.envelope.delta).toBe('{"stop_reason":"end_turn"}')
  })

  test('if the beginning of such a block was trimmed, the rest is hidden', async () => {
    const payload = JSON.stringify({ message_history: ['secret '.repeat(400)], user_query: 'q' })
    const pieces = [...chunkPayload({ type: 'meta_init', agent: session, payload, maxBytes: 512 })]
    const store = createMemoryStore({ maxMessagesPerSession: 3 })
    await store.open(session)
    await append(store, 0, [...pieces, end])
    const view = { hiddenFields: { meta_init: ['message_history'] } }
    const tail = pieces.length + 1
    const open = opener(store, { view, completion: completedAt(tail) })
    const { received } = await readLog(open, { after: tail - 3 })
    expect(JSON.stringify(received)).not.toContain('secret')
    expect(received.at(-1)?.id).toBe(tail)
  })

  test('a required field is emptied, others are removed', async () => {
    const image = { id: 't', name: 'f', src: 'secret', media_type: 'image/png', final: false }
    const cite = { citation_type: 'page', url: 'secret', title: 'T' }
    const lines = [
      init,
      message('tool_result_image', '', image),
      message('citation', 'c', cite),
      end,
    ]
    const { received } = await see(lines, {
      hiddenFields: { tool_result_image: ['src'], citation: ['url'] },
    })
    expect(received[1]?.envelope).toMatchObject({ src: '', media_type: 'image/png' })
    expect(received[2]?.envelope).not.toHaveProperty('url')
    expect(received[2]?.envelope).toMatchObject({ title: 'T', delta: 'c' })
  })

  test('lines that cannot be parsed are hidden', async () => {
    const { received } = await see([init, 'no envelope', end], withoutThinking)
    expect(received.map(short)).toEqual([
      [1, 1, 'meta_init'],
      [3, 2, 'meta_end'],
    ])
  })

  test.each<[string, View]>([
    ['meta_end', { hiddenTypes: ['meta_end' as HidableType] }],
    ['`id` of tool_call', { hiddenFields: { tool_call: ['id'] } }],
  ])('a view that hides %s is rejected', (name, view) => {
    expect(() => createViewRules(view, session)).toThrow(name)
  })
})
