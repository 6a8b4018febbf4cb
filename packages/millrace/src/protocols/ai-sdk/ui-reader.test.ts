import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLogPlan, playLog } from '../../../test/support/frames/any-log.ts'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { runs } from '../../../test/support/runs.ts'
import { writeUi } from '../../../test/support/protocols/ui-stream.ts'
import { encodeEnvelope, type Envelope, createVerifier } from '../../events/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { toView } from '../../testing/transcript-view.ts'
import { createTranscript } from '../../client/transcript/index.ts'
import type { FormatFrame } from '../port/log-format.ts'
import type { SubagentMode } from './subagent-parts.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { aiSdkReader } from './index.ts'

const read = (frames: readonly FormatFrame[], agent = 'agent'): readonly Envelope[] => {
  const reader = aiSdkReader({ agent })
  return [...frames.flatMap((frame) => reader.read(frame)), ...reader.finish()]
}

const frame = (type: string, fields: object = {}): FormatFrame => ({
  data: JSON.stringify({ type, ...fields }),
})

/** Returns the faults of frames after their size is limited. */
function faultsIn(envelopes: readonly Envelope[]) {
  const verifier = createVerifier({ maxBytes: Infinity })
  const faults = envelopes.flatMap((envelope) => verifier.push(encodeEnvelope(envelope)))
  return [...faults, ...verifier.end(true)]
}

/** Returns the visible content of frames. */
function viewOf(envelopes: readonly Envelope[]): JsonObject {
  const reduce = createFrameReducer()
  const transcript = envelopes.reduce(
    (before, envelope, at) => reduce(before, envelope, at + 1),
    createTranscript(),
  )
  return toView(transcript)
}

type Seen = Readonly<Record<string, unknown>>

/** Returns the content of a run that a UI message stream preserves: every block of every agent, the agents, the pending calls, the end. */
function carried(envelopes: readonly Envelope[], mode: SubagentMode) {
  const { status, agents, pending, error_message, error_code } = viewOf(envelopes) as Seen
  const [root] = Object.keys(agents as object)
  const received = Object.entries(agents as Record<string, Seen>).filter(
    ([id]) => mode !== 'drop' || id === root,
  )
  return {
    status,
    pending: (pending as Seen[]).toSorted((one, other) =>
      String(one['tool_use_id']).localeCompare(String(other['tool_use_id'])),
    ),
    error_message,
    error_code,
    agents: received.map(([id, { parent, name, blocks }]) => ({
      id,
      parent,
      name,
      blocks: withoutAgain(blocks as Seen[]).map(carriedBlock),
    })),
  }
}

/** Removes repeated results: a call has one output, and a provider's result that is repeated after an interrupted step is the same. */
function withoutAgain(blocks: readonly Seen[]): readonly Seen[] {
  const calls = new Set(blocks.filter(({ result }) => result).map(({ id }) => id))
  return blocks.filter(({ type, id }) => type !== 'server_tool_result' || !calls.has(id))
}

/** Ids of prose only join its messages. */
function carriedBlock(block: Seen): Seen {
  const { type, text, name, id, input, is_error, images, citations, redacted, result } = block
  const { interrupted } = block
  if (type === 'text' || type === 'thinking')
    return {
      type,
      text,
      redacted,
      interrupted,
      citations: (citations as Seen[] | undefined)?.map(({ id: _, ...one }) => one),
    }
  return {
    type,
    text,
    name,
    id,
    input,
    is_error,
    images,
    interrupted,
    result: result && carriedBlock(result as Seen),
  }
}

describe('encoded streams can be decoded', () => {
  test.each(['data', 'inline', 'drop'] as const)('of any run, sub-agents as %s', async (mode) => {
    const property = fc.asyncProperty(anyLogPlan, async (plan) => {
      const envelopes = await playLog(plan)
      fc.pre(endsWell(envelopes))
      const again = read(writeUi(envelopes, { subagents: mode }))
      expect(faultsIn(again)).toEqual([])
      expect(carried(again, mode)).toEqual(carried(inTime(envelopes), mode))
    })
    await fc.assert(property, { numRuns: runs(30, 3000), endOnFailure: true })
  })
})

test('an interrupted result is interrupted after decoding, of the root and of sub-agents, with and without images', () => {
  const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
    type,
    agent: 'root',
    final: true,
    delta,
    ...more,
  })
  const init = (agent: string, meta: object) =>
    say('meta_init', JSON.stringify({ run_id: 'r', ...meta }), { agent })
  const cut = { interrupted: true }
  const child = { parent_agent_uuid: 'root', parent_tool_use_id: 'a' }
  const resultsOf = (agent: string, id: string, error: object) => [
    say('tool_call', '{}', { agent, id, name: 'look' }),
    say('tool_result', 'hal', { agent, id, name: 'look', ...cut, ...error }),
    say('tool_call', '{}', { agent, id: `${id}-2`, name: 'look' }),
    say('tool_result', 'hal', { agent, id: `${id}-2`, name: 'look', final: false, ...error }),
    say('tool_result_image', '', {
      agent,
      id: `${id}-2`,
      name: 'look',
      src: '/i',
      media_type: 'i/p',
    }),
    say('tool_result', '', { agent, id: `${id}-2`, name: 'look', ...cut, ...error }),
    say('server_tool_call', '{}', { agent, id: `${id}-3`, name: 'search' }),
    say('server_tool_result', '"hal"', { agent, id: `${id}-3`, name: 'found', ...cut, ...error }),
  ]
  for (const error of [{}, { is_error: true }]) {
    for (const mode of ['data', 'inline'] as const) {
      const again = read(
        writeUi(
          [
            init('root', {}),
            say('tool_call', '{}', { id: 'a', name: 'spawn' }),
            init('child', child),
            ...resultsOf('child', 'c', error),
            say('meta_end', '{"stop_reason":"end_turn"}', { agent: 'child' }),
            say('tool_result', 'whole', { id: 'a', name: 'spawn' }),
            ...resultsOf('root', 'b', error),
            say('meta_end', '{"stop_reason":"end_turn"}'),
          ],
          { subagents: mode },
        ),
      )
      const closing = again.filter(({ type, final }) => type.endsWith('tool_result') && final)
      expect(closing.filter(({ interrupted }) => interrupted).map(({ id }) => id)).toEqual([
        'c',
        'c-2',
        'c-3',
        'b',
        'b-2',
        'b-3',
      ])
      expect(closing).toHaveLength(7)
    }
  }
})

/** Removes results of earlier runs' calls that arrive in a later run: an ended message does not change. */
function inTime(envelopes: readonly Envelope[]): readonly Envelope[] {
  const root = envelopes[0]?.agent
  const calls = new Set<string>()
  const agents = new Set<string>()
  return envelopes.filter(({ type, agent, id = '' }) => {
    if (type === 'meta_init' && agent === root) {
      calls.clear()
      agents.clear()
    }
    if (type === 'meta_init') agents.add(agent)
    if (!agents.has(agent)) return false
    if (type === 'tool_call') calls.add(id)
    return !type.startsWith('tool_result') || calls.has(id)
  })
}

/** Whether the last process of the run has not died. */
function endsWell(envelopes: readonly Envelope[]): boolean {
  const last = envelopes.at(-1)
  return last?.type === 'meta_end' && last.agent === envelopes[0]?.agent
}

describe('streams of other servers', () => {
  const tool = { toolCallId: 'c1', toolName: 'weather' }
  const typed = (envelopes: readonly Envelope[]) =>
    envelopes.map(({ type, delta, final }) => `${type} ${final ? delta : `${delta}…`}`)

  test('may have static tools, whose outputs precede the end of the step [LIFE-7]', () => {
    const envelopes = read([
      frame('start', { messageId: 'm1' }),
      frame('start-step'),
      frame('tool-input-start', tool),
      frame('tool-input-delta', { toolCallId: 'c1', inputTextDelta: '{"city":' }),
      frame('tool-input-delta', { toolCallId: 'c1', inputTextDelta: '"Lisbon"}' }),
      frame('tool-input-available', { ...tool, input: { city: 'Lisbon' } }),
      frame('tool-output-available', {
        toolCallId: 'c1',
        output: { status: 'loading' },
        preliminary: true,
      }),
      frame('tool-output-available', { toolCallId: 'c1', output: { sky: 'clear' } }),
      frame('finish-step'),
      frame('start-step'),
      frame('text-start', { id: 't' }),
      frame('text-delta', { id: 't', delta: 'Clear.' }),
      frame('text-end', { id: 't' }),
      frame('finish-step'),
      frame('finish', { finishReason: 'stop' }),
      { data: '[DONE]' },
    ])
    expect(faultsIn(envelopes)).toEqual([])
    expect(typed(envelopes).slice(1)).toEqual([
      'tool_call {"city":…',
      'tool_call "Lisbon"}…',
      'tool_call ',
      'meta_step {"step":1}',
      'tool_result {"sky":"clear"}',
      'text Clear.…',
      'text ',
      'meta_step {"step":2}',
      'meta_end {"total_steps":2,"stop_reason":"end_turn"}',
    ])
  })

  test('may have tools without an output, which wait for the browser, unless there was a preliminary one', () => {
    const call = [frame('start'), frame('tool-input-available', { ...tool, input: {} })]
    const waiting = read([...call, frame('finish', { finishReason: 'tool-calls' })])
    expect(viewOf(waiting)).toMatchObject({
      status: 'awaiting_tools',
      pending: [{ tool_use_id: 'c1', name: 'weather' }],
    })
    const early = frame('tool-output-available', {
      toolCallId: 'c1',
      output: 'soon',
      preliminary: true,
    })
    const done = read([...call, early, frame('finish', { finishReason: 'stop' })])
    expect(typed(done)).toContain('tool_result soon')
    const asked = frame('tool-approval-request', { approvalId: 'a', toolCallId: 'c1' })
    const judged = read([...call, asked, frame('finish', { finishReason: 'tool-calls' })])
    expect(judged.map(({ type }) => type)).toContain('awaiting_approval')
  })

  test('may continue after a pause without the answer of the page', () => {
    const envelopes = read([
      frame('start', { messageId: 'm1' }),
      frame('tool-input-available', { ...tool, input: {} }),
      frame('finish', { finishReason: 'tool-calls' }),
      frame('start', { messageId: 'm1' }),
      frame('text-start', { id: 't' }),
      frame('text-end', { id: 't' }),
      frame('finish', { finishReason: 'stop' }),
    ])
    expect(faultsIn(envelopes)).toEqual([])
    expect(envelopes.filter(({ type }) => type === 'meta_init')).toHaveLength(1)
  })

  test('may have sources, files, data and parts of a provider, which keep their names', () => {
    const envelopes = read([
      frame('start'),
      frame('source-url', { sourceId: 's1', url: 'https://a', title: 'A' }),
      frame('data-weather', { id: 'w', data: { sky: 'clear' } }),
      frame('data-note', { data: 'for a moment', transient: true }),
      frame('custom', { kind: 'openai.compaction' }),
      frame('file', { url: '/f', mediaType: 'image/png' }),
      frame('from-the-future', { id: 'x' }),
      frame('finish', { finishReason: 'stop' }),
    ])
    expect(faultsIn(envelopes)).toEqual([])
    const kept = envelopes.filter(({ type }) => type === 'server_tool_result')
    expect(kept.map(({ name }) => name)).toEqual(['source', 'data-weather', 'openai.compaction'])
    expect(envelopes.map(({ type }) => type)).toContain('meta_files')
  })

  test('may have reset steps, aborts, errors and interruptions', () => {
    const text = [frame('start'), frame('start-step'), frame('text-start', { id: 't' })]
    const more = [...text, frame('text-delta', { id: 't', delta: 'a' })]
    expect(typed(read([...more, frame('reset-step'), frame('finish')]))).toContain(
      'rollback {"step":1,"reason":"reset-step"}',
    )
    expect(viewOf(read([...more, frame('abort'), frame('finish')]))).toMatchObject({
      status: 'aborted',
    })
    expect(viewOf(read([...more, frame('error', { errorText: 'no' })]))).toMatchObject({
      status: 'error',
      error_message: 'no',
    })
    expect(viewOf(read(more))).toMatchObject({ status: 'error', error_code: 'stream_truncated' })
  })
})

describe('hostile streams', () => {
  const field = fc.constantFrom(
    'id',
    'toolCallId',
    'messageId',
    'delta',
    'data',
    'input',
    'output',
    'citations',
    'providerMetadata',
    'messageMetadata',
    'parts',
    'errorText',
  )
  const kinds = [
    'start',
    'finish',
    'start-step',
    'finish-step',
    'reset-step',
    'text-start',
    'text-delta',
    'text-end',
    'reasoning-start',
    'reasoning-end',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-available',
    'tool-input-error',
    'tool-output-available',
    'tool-output-error',
    'tool-output-denied',
    'tool-approval-request',
    'source-url',
    'file',
    'custom',
    'data-agent',
    'data-agent-delta',
    'data-agent-block',
    'data-rollback',
    'data-tool-status',
    'data-file',
    'data-weather',
    'steering-message',
    'error',
    'abort',
    'message-metadata',
    'from-the-future',
  ]
  /** An object that cannot be converted to text. */
  const hostile = { toString: 1, valueOf: null }
  const value = fc.oneof(
    fc.constantFrom('a', 'b', '', {}, [], { agent: 'kid', type: 'text' }, hostile, [hostile]),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const chunk = fc
    .tuple(fc.constantFrom(...kinds), fc.dictionary(field, value, { maxKeys: 5 }))
    .map(([type, fields]) => frame(type, fields))

  test('never throw, and are decoded to conforming streams that end', () => {
    const property = fc.property(fc.array(chunk, { maxLength: 40 }), (frames) => {
      const envelopes = read(frames)
      if (envelopes.length > 0) expect(faultsIn(envelopes)).toEqual([])
    })
    fc.assert(property, { numRuns: runs(500, 20_000) })
  })

  test('do not throw if fields are objects that cannot be converted to text', () => {
    const names = ['id', 'toolCallId', 'toolName', 'delta', 'errorText', 'sourceId', 'kind', 'data']
    const agent = { type: 'x', block: hostile, text: hostile, toolCallId: hostile, detail: hostile }
    for (const type of kinds) {
      for (const data of [hostile, agent]) {
        const fields = Object.fromEntries(names.map((name) => [name, hostile]))
        const opened = frame('tool-input-start', { toolCallId: 'a', toolName: 'a' })
        expect(faultsIn(read([opened, frame(type, { ...fields, data })]))).toEqual([])
      }
    }
  })

  test.each(['no json', '7', '{}', '[1]', '{"type":7}'])(
    'that are no streams are rejected: %s',
    (data) => {
      try {
        aiSdkReader().read({ data })
        throw new Error('It was read.')
      } catch (error) {
        expect(isMillraceError(error) && error.code).toBe('envelope_malformed')
      }
    },
  )

  test('any invalid log can be encoded and decoded', () => {
    const property = fc.property(arbitraryStream(), (envelopes) => {
      read(writeUi(envelopes, { session: 'root' }))
    })
    fc.assert(property, { numRuns: 200 })
  })
})
