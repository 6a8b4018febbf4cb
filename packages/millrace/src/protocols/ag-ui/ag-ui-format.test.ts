import { HttpAgent } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { anyMove, playRun } from '../../../test/support/agents/any-run.ts'
import { anyLogPlan, playLog } from '../../../test/support/frames/any-log.ts'
import { runs } from '../../../test/support/runs.ts'
import {
  encodeEnvelope,
  type Envelope,
  createVerifier,
  createEnvelopeDecoder,
  createEnvelopeWriter,
  type CollectedCall,
  type CollectedProse,
  createCollector,
  createDecoder,
  isGrowing,
} from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { mergeDeltas } from '../../server/feeds/merge-deltas.ts'
import { agUiFormat, type AgUiFormatOptions } from './ag-ui-format.ts'
import type { AgUiEvent } from './ag-ui-run.ts'
import { agUiReader } from './reading/ag-ui-reader.ts'
import { openFormat } from '../port/index.ts'

const ROOT = 'mill'
const CHILD = 'child'

interface Entry {
  readonly envelope: Envelope
  readonly id: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const part = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope =>
  say(type, delta, { final: false, ...more })
const json = (type: string, value: object, more: Partial<Envelope> = {}): Envelope =>
  say(type, JSON.stringify(value), more)
const ofChild = { agent: CHILD }
const usage = { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 4 }
const init = json('meta_init', { user_query: 'why?', run_id: 'r1', model: 'm', name: 'miller' })
const childInit = json(
  'meta_init',
  {
    user_query: 'dig',
    run_id: 'c1',
    name: 'digger',
    parent_agent_uuid: ROOT,
    parent_tool_use_id: 't',
  },
  ofChild,
)
const endWith = (stop_reason: string, more: Partial<Envelope> = {}): Envelope =>
  json('meta_end', { stop_reason, total_steps: 1, usage, cost: null }, more)

function number(envelopes: readonly Envelope[]): Entry[] {
  return envelopes.map((envelope, index) => ({ envelope, id: index + 1 }))
}

/** Returns the events of a log, frame by frame, and those of its end. */
function writeAll(entries: readonly Entry[], options?: AgUiFormatOptions, root = ROOT) {
  const writer = openFormat(agUiFormat(options), root)
  const written = entries.map(({ envelope, id }) =>
    writer.write(envelope, id).map(({ data }) => data),
  )
  return { written, end: writer.finish('done').map(({ data }) => data) }
}

function write(
  envelopes: readonly Envelope[],
  options?: AgUiFormatOptions,
  root?: string,
): AgUiEvent[] {
  const { written, end } = writeAll(number(envelopes), options, root)
  return [...written.flat(), ...end].map((data) => JSON.parse(data ?? '') as AgUiEvent)
}

const typesOf = (events: readonly AgUiEvent[]): string[] => events.map(({ type }) => type)

/** Validates events with the schemas of AG-UI and with its client, which rejects a wrong order and warns of suspicious events. */
async function expectValid(events: readonly AgUiEvent[]): Promise<void> {
  if (events.length === 0) return
  const warn = vi.spyOn(console, 'warn')
  for (const event of events) {
    const { success, error } = EventSchemas.safeParse(event)
    expect(success, `${JSON.stringify(event)} ${error?.message}`).toBe(true)
  }
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = () => Promise.resolve(new Response(body, { headers }))
  const seen: unknown[] = []
  const agent = new HttpAgent({ url: 'http://localhost', fetch })
  agent.subscribe({ onEvent: ({ event }) => void seen.push(event) })
  await agent.runAgent()
  expect(seen).toEqual(events)
  expect(warn).not.toHaveBeenCalled()
}

afterEach(() => vi.restoreAllMocks())

const anyMoves = fc.array(anyMove, { minLength: 1, maxLength: 40 })

/** Frames of any run. The first agent is the root. */
const anyRun = fc.tuple(anyMoves, fc.boolean()).map(([moves, isLive]) => toRun(moves, isLive))

/** Complete runs of a server: the root ends last, after all sub-agents. */
const anyWholeRun = fc
  .tuple(
    anyMoves,
    fc.boolean(),
    fc.constantFrom('finish' as const, 'fail' as const, 'pause' as const),
  )
  .map(([moves, isLive, end]) => {
    const [first] = moves
    const root = first?.agent ?? 'a1'
    const ends = new Set(['finish', 'fail', 'pause'])
    const tame = moves.map((move) => {
      const does = move.agent === root ? 'delta' : 'finish'
      return ends.has(move.does) ? ({ ...move, does } as const) : move
    })
    const last = tame.slice(-1).flatMap((move): typeof moves => [
      { ...move, agent: root === 'a1' ? 'a2' : 'a1', does: 'finish' },
      { ...move, agent: root, does: end },
    ])
    return toRun([...tame, ...last], isLive)
  })

function toRun(moves: Parameters<typeof playRun>[0], isLive: boolean) {
  const { events } = playRun(moves, isLive)
  const writer = createEnvelopeWriter({ toolInput: isLive ? 'live' : 'buffered' })
  const decode = createEnvelopeDecoder()
  const lines = [...events.flatMap((event) => writer.write(event)), ...writer.finish()]
  return { root: events[0]?.agent ?? '', envelopes: lines.map((line) => decode(line)) }
}

describe('any run', () => {
  test('is valid for the schemas and the verifier of AG-UI, with and without its sub-agents', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRun,
        fc.constantFrom('native' as const, 'drop' as const),
        async ({ root, envelopes }, subagents) => {
          await expectValid(write(envelopes, { subagents }, root))
        },
      ),
      { numRuns: runs(150, 3_000) },
    )
  })

  test('is valid if its beginning was trimmed', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, fc.nat(30), async ({ root, envelopes }, gone) => {
        await expectValid(write(envelopes.slice(gone), {}, root))
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test('[DIA-1] gives the same content after any frame to every reader at that position, merged or not', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), ({ root, envelopes }, place) => {
        const entries = number(envelopes)
        const whole = writeAll(entries, {}, root)
        const at = place % (entries.length + 1)
        const writer = openFormat(agUiFormat(), root)
        for (const { envelope, id } of entries.slice(0, at)) writer.write(envelope, id)
        const rest = entries.slice(at).map(({ envelope, id }) => {
          return writer.write(envelope, id).map(({ data }) => data)
        })
        expect(rest).toEqual(whole.written.slice(at))
        const lines = entries.map(({ envelope, id }) => {
          return { id, span: 1, line: encoder.encode(encodeEnvelope(envelope)) }
        })
        const decode = createEnvelopeDecoder()
        const merged = mergeDeltas(lines, 2048).map(({ id, span, line }) => {
          const envelope = decode(decoder.decode(line))
          return { id, envelope: span === 1 ? envelope : { ...envelope, span } }
        })
        const { written, end } = writeAll(merged, {}, root)
        expect(joined([...written.flat(), ...end])).toEqual(
          joined([...whole.written.flat(), ...whole.end]),
        )
      }),
      { numRuns: runs(150, 3_000) },
    )
  })

  test('is decoded to valid frames, with everything that AG-UI can express', () => {
    fc.assert(
      fc.property(anyWholeRun, ({ root, envelopes }) => {
        const reader = agUiReader({ agent: root })
        const frames = write(envelopes, {}, root).map((event) => ({ data: JSON.stringify(event) }))
        const read = [...frames.flatMap((frame) => reader.read(frame)), ...reader.finish()]
        expect(carried(read, root)).toEqual(carried(envelopes, root))
        const verifier = createVerifier({ maxBytes: Infinity })
        const faults = read.flatMap((envelope) => verifier.push(encodeEnvelope(envelope)))
        expect([...faults, ...verifier.end(true)]).toEqual([])
      }),
      { numRuns: runs(150, 3_000) },
    )
  })

  test('is decoded to an end for any cut', () => {
    fc.assert(
      fc.property(anyWholeRun, fc.nat(), ({ root, envelopes }, place) => {
        const events = write(envelopes, {}, root)
        const reader = agUiReader({ agent: root })
        const kept = events.slice(0, place % (events.length + 1))
        const read = kept.flatMap((event) => reader.read({ data: JSON.stringify(event) }))
        const verifier = createVerifier({ maxBytes: Infinity })
        const all = [...read, ...reader.finish()]
        const faults = all.flatMap((envelope) => verifier.push(encodeEnvelope(envelope)))
        expect([...faults, ...(all.length > 0 ? verifier.end(true) : [])]).toEqual([])
      }),
      { numRuns: runs(150, 3_000) },
    )
  })
})

describe('any session of real agents, with pauses, stops, steering and killed processes', () => {
  test('is valid for the schemas and the verifier of AG-UI, with and without its sub-agents', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLogPlan,
        fc.constantFrom('native' as const, 'drop' as const),
        async (plan, subagents) => {
          const envelopes = await playLog(plan)
          const root = envelopes[0]?.agent
          const events = write(envelopes, { subagents }, root)
          await expectValid(events)
          // No run ends with a call that is neither answered nor pending.
          expect(openCalls(events)).toEqual([])
        },
      ),
      { numRuns: runs(60, 2_000) },
    )
  })

  test('is decoded to valid frames, with the same text and results', async () => {
    await fc.assert(
      fc.asyncProperty(anyLogPlan, async (plan) => {
        const envelopes = await playLog(plan)
        const root = envelopes[0]?.agent ?? ''
        const reader = agUiReader({ agent: root })
        const frames = write(envelopes, {}, root).map((event) => ({ data: JSON.stringify(event) }))
        const read = [...frames.flatMap((frame) => reader.read(frame)), ...reader.finish()]
        const verifier = createVerifier({ maxBytes: Infinity })
        const faults = read.flatMap((envelope) => verifier.push(encodeEnvelope(envelope)))
        expect([...faults, ...verifier.end(true)]).toEqual([])
        expect(saidIn(read)).toEqual(saidIn(envelopes))
      }),
      { numRuns: runs(60, 2_000) },
    )
  })
})

/** Returns the calls of successful runs that have no result and are not pending. */
function openCalls(events: readonly AgUiEvent[]): string[] {
  const open = new Set<string>()
  const found: string[] = []
  for (const { type, toolCallId, outcome } of events) {
    const id = String(toolCallId)
    if (type === 'RUN_STARTED') open.clear()
    if (type === 'TOOL_CALL_START') open.add(id)
    if (type === 'TOOL_CALL_RESULT') open.delete(id)
    const { type: how, pendingToolCallIds: named } = (outcome ?? {}) as JsonObject
    if (type === 'RUN_FINISHED' && how === 'success' && named === undefined) found.push(...open)
  }
  return found
}

/** Returns the text of each agent and the results of tools, in order. */
function saidIn(envelopes: readonly Envelope[]): Record<string, string[]> {
  const said: Record<string, string[]> = {}
  for (const { type, agent, delta } of envelopes) {
    if (!['text', 'thinking', 'tool_call', 'tool_result', 'user_message'].includes(type)) continue
    if (delta !== '') (said[agent] ??= []).push(`${type} ${delta}`)
  }
  return said
}

/** Joins adjacent deltas of one message, because merging moves their boundaries. */
function joined(frames: readonly (string | undefined)[]): AgUiEvent[] {
  const events: AgUiEvent[] = []
  for (const data of frames) {
    const event = JSON.parse(data ?? '') as AgUiEvent
    const last = events.at(-1)
    const { delta = '', ...head } = event
    const { delta: before = '', ...lastHead }: JsonObject = last ?? {}
    if ('delta' in event && JSON.stringify(head) === JSON.stringify(lastHead)) {
      events.splice(-1, 1, { ...event, delta: `${String(before)}${String(delta)}` })
    } else events.push(event)
  }
  return events
}

/**
 * Returns the content of a log that AG-UI preserves, by agent: the order among agents may change at a pause, because a paused sub-agent is
 * closed with its run. Ids of text and thinking are the format's own, runs of sub-agents have other ids, and voided blocks have no other
 * content.
 */
function carried(envelopes: readonly Envelope[], root: string): Record<string, unknown[]> {
  const decoder = createDecoder()
  const collector = createCollector()
  const found: Record<string, unknown[]> = {}
  const open = new Map<string, { type: string; text: string; place: unknown[] }>()
  const events = [
    ...envelopes.flatMap((envelope, index) => {
      const event = decoder.decodeFrame(envelope, index + 1)
      return event === undefined ? [] : collector.take(event)
    }),
    ...collector.finish(),
  ]
  for (const event of events) {
    const { agent, type } = event
    const list = (found[agent] ??= [])
    if ('start' in event && isGrowing(event)) {
      const { block: key, fields, text, start } = event
      const { callId = '', name = '' } = event as Partial<CollectedCall>
      // These runs have a pending call that they have not shown; AG-UI shows it.
      if (callId === 'p') continue
      if (start) {
        const block = { type, text: '', callId, name, fields, place: [] as unknown[] }
        open.set(key, block)
        list.push(block)
      }
      const block = open.get(key)
      if (block !== undefined) block.text += text
      const { citations = [] } = event as Partial<CollectedProse>
      block?.place.push(...citations.map(({ citedText, fields: cited }) => [citedText, cited]))
    } else if (type === 'rollback') {
      list.push({ type, info: event.payload, voided: event.voided.filter(isGrowing).length })
    } else if ('images' in event) {
      const { callId, name, text, isError, interrupted } = event
      const images = event.images.map(({ src, mediaType }) => ({ src, mediaType }))
      const result = { type, callId, text, isError, interrupted, images }
      // The call contains the name of the tool.
      list.push(type === 'server_tool_result' ? { ...result, name } : result)
    } else if (type === 'run_start') {
      const { prompt, model } = event
      const name = event.name ?? (agent === root ? undefined : 'sub-agent')
      list.push({ type, prompt, model, name })
    } else if (type === 'error') {
      list.push({ type, message: event.payload['message'] || 'The run failed.' })
    } else if ('payload' in event) list.push({ type, ...event.payload })
    else {
      const { id: _id, span: _span, block: _block, ...rest } = event
      list.push(rest)
    }
  }
  return found
}

describe('a run in AG-UI', () => {
  test('has the prompt, reasoning, text with citations, steps, and an end with its tokens', async () => {
    const events = write([
      init,
      part('thinking', 'hm'),
      say('thinking', ''),
      part('text', 'wheat'),
      say('text', ''),
      say('citation', 'rye', { citation_type: 'page_location', document_index: 2 }),
      json('meta_step', { step: 1, stop_reason: 'end_turn', usage, cost: null }),
      endWith('end_turn'),
    ])
    await expectValid(events)
    expect(typesOf(events)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_STARTED',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ])
    expect(events[1]).toMatchObject({ role: 'user', messageId: 'p1' })
    expect(events[12]).toEqual({
      type: 'TEXT_MESSAGE_END',
      messageId: 'b4',
      metadata: {
        citations: [{ cited_text: 'rye', citation_type: 'page_location', document_index: 2 }],
      },
    })
    expect(events.at(-1)).toMatchObject({
      threadId: ROOT,
      runId: 'r1',
      outcome: { type: 'success' },
      usage: [
        { model: 'm', inputTokens: 7, outputTokens: 2, totalTokens: 9, cachedInputTokens: 4 },
      ],
    })
  })

  test('names pending calls, and continues as another run of the thread after the pause', async () => {
    const waiting = [{ tool_use_id: 't', name: 'ask', input: { a: 1 } }]
    const events = write([
      init,
      say('text', 'Let me ask.'),
      say('tool_call', '{"a":1}', { id: 't', name: 'ask' }),
      json('awaiting_frontend_tools', waiting),
      endWith('awaiting_frontend_tools'),
      say('tool_result', 'yes', { id: 't', name: 'ask' }),
      say('text', 'Good.'),
      endWith('end_turn'),
    ])
    await expectValid(events)
    const runsOf = events.filter(({ type }) => type.startsWith('RUN_'))
    expect(runsOf.map(({ runId }) => runId)).toEqual(['r1', 'r1', 'r1.2', 'r1.2'])
    expect(runsOf[1]).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: ['t'] } })
    expect(events.find(({ type }) => type === 'TOOL_CALL_START')).toMatchObject({
      parentMessageId: 'b2',
    })
  })

  test('names only calls that are still pending after an answer that leaves others pending', async () => {
    const ids = ['t', 'u']
    const calls = ids.map((id) => say('tool_call', '{}', { id, name: 'ask' }))
    const paused = [
      init,
      ...calls,
      json(
        'awaiting_frontend_tools',
        ids.map((id) => ({ tool_use_id: id, name: 'ask' })),
      ),
      endWith('awaiting_frontend_tools'),
      say('tool_status', '', { id: 't', name: 'ask', stage: 'answered' }),
    ]
    for (const client of ['any', 'tanstack'] as const) {
      const events = write(paused, { client })
      await expectValid(events)
      expect(typesOf(events.slice(-3))).toEqual(['RUN_STARTED', 'CUSTOM', 'RUN_FINISHED'])
      expect(events.at(-1)).toMatchObject({
        outcome: { type: 'success', pendingToolCallIds: ['u'] },
      })
    }
    const wentOn = write([
      ...paused,
      say('tool_result', 'yes', { id: 't', name: 'ask' }),
      say('tool_result', 'no', { id: 'u', name: 'ask' }),
      endWith('end_turn'),
    ])
    await expectValid(wentOn)
    expect(wentOn.filter(({ type }) => type.startsWith('RUN_'))).toHaveLength(4)
    expect(wentOn.at(-1)).toMatchObject({ outcome: { type: 'success' } })
    // A run that was lost after the pause has no end.
    const lost = write([...paused, say('text', 'Goo', { final: false })])
    expect(lost.at(-1)).toMatchObject({ type: 'RUN_ERROR' })
  })

  test('requests approvals by interrupts, and names the sub-agent that waits', async () => {
    const waiting = [{ tool_use_id: 't', name: 'cut', input: {} }]
    const events = write([
      init,
      childInit,
      say('tool_call', '{}', { id: 't', name: 'cut', ...ofChild }),
      json('awaiting_approval', waiting, ofChild),
      endWith('awaiting_approval', ofChild),
      endWith('awaiting_approval'),
      say('tool_result', 'cut', { id: 't', name: 'cut', ...ofChild }),
      endWith('end_turn', ofChild),
      endWith('end_turn'),
    ])
    await expectValid(events)
    expect(events.filter(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject([
      { subagentRunId: 's2', outcome: { type: 'suspended', interruptIds: ['t'] } },
      { subagentRunId: 's2', outcome: { type: 'success' } },
    ])
    expect(events.find(({ type }) => type === 'RUN_FINISHED')).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [{ id: 't', toolCallId: 't', subagentRunId: 's2' }],
      },
    })
  })

  test('rolls back void content at no more than its own cost, and answers its calls', async () => {
    const events = write([
      init,
      say('text', 'no'),
      say('tool_call', '{}', { id: 't', name: 'ask' }),
      json('rollback', { step: 1, attempt: 2, reason: 'cut' }),
      say('text', 'yes'),
      endWith('end_turn'),
    ])
    await expectValid(events)
    const voided = events.filter(({ activityType }) => activityType === 'millrace.void')
    expect(voided.map(({ messageId }) => messageId)).toEqual(['b2', 'b3-void'])
    expect(events.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject([
      { toolCallId: 't' },
    ])
  })

  test('answers calls that were never run, which clients would otherwise run', async () => {
    const events = write([
      init,
      say('tool_call', '{"a', { id: 't', name: 'ask' }),
      endWith('max_tokens'),
    ])
    await expectValid(events)
    expect(events.at(-2)).toMatchObject({ type: 'TOOL_CALL_RESULT', toolCallId: 't' })
  })

  test('without sub-agents shows their calls only if the client must answer them', async () => {
    const waiting = [{ tool_use_id: 'w', name: 'ask', input: { q: 1 } }]
    const events = write(
      [
        init,
        childInit,
        say('text', 'hidden', ofChild),
        say('tool_call', '{"q":1}', { id: 'w', name: 'ask', ...ofChild }),
        json('awaiting_frontend_tools', waiting, ofChild),
        endWith('awaiting_frontend_tools', ofChild),
        endWith('awaiting_frontend_tools'),
        say('tool_result', 'fine', { id: 'w', name: 'ask', ...ofChild }),
        endWith('end_turn', ofChild),
        endWith('end_turn'),
      ],
      { subagents: 'drop', prompts: 'leave_out' },
    )
    await expectValid(events)
    expect(typesOf(events)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'RUN_FINISHED',
      'RUN_STARTED',
      'TOOL_CALL_RESULT',
      'RUN_FINISHED',
    ])
  })

  test.each([
    ['a stop', [endWith('aborted')], { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
    [
      'an error',
      [json('error', { type: 'x', message: 'no', code: 'c', retriable: true }), endWith('error')],
      { type: 'RUN_ERROR', message: 'no', code: 'c' },
    ],
    [
      'a log that ends too soon',
      [part('text', 'a')],
      { type: 'RUN_ERROR', code: 'stream_truncated' },
    ],
  ])('ends %s with the matching event', async (_, rest, end) => {
    const events = write([init, ...rest])
    await expectValid(events)
    expect(events.at(-1)).toMatchObject(end)
  })

  test('has images next to the text of a result, and marks its failure', async () => {
    const fields = { id: 't', name: 'draw' }
    const events = write([
      init,
      say('tool_call', '{}', fields),
      part('tool_result', 'done', { ...fields, is_error: true }),
      part('tool_result_image', '', {
        ...fields,
        src: 'data:image/png;base64,AAAA',
        media_type: 'image/png',
      }),
      part('tool_result_image', '', {
        ...fields,
        src: '/agent/x/images/y',
        media_type: 'image/png',
      }),
      say('tool_result', '', { ...fields, is_error: true }),
      endWith('end_turn'),
    ])
    await expectValid(events)
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({
      content: [
        { type: 'text', text: 'done' },
        { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
        { type: 'image', source: { type: 'url', value: '/agent/x/images/y' } },
      ],
      metadata: { isError: true },
    })
  })

  test('that the server interrupts ends with an error, or without an event for clients that reconnect', () => {
    const cutAt = (cuts?: 'silent') => {
      const writer = openFormat(agUiFormat({ ...(cuts && { cuts }) }), ROOT)
      writer.write(init, 1)
      return writer.finish('cut').map(({ data }) => JSON.parse(data ?? '') as AgUiEvent)
    }
    expect(cutAt()).toMatchObject([{ type: 'RUN_ERROR', code: 'connection_lost' }])
    expect(cutAt('silent')).toEqual([])
  })
})
