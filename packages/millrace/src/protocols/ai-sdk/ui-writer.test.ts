import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLogPlan, playLog } from '../../../test/support/frames/any-log.ts'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { runs } from '../../../test/support/runs.ts'
import {
  accumulate,
  expectValid,
  sdkVersions,
  type SeenMessage,
  textOf,
  toChunks,
  writeUi,
} from '../../../test/support/protocols/ui-stream.ts'
import type { Envelope } from '../../events/index.ts'
import { uiMessagesFormat } from './index.ts'
import { aiSdkFormat, type AiSdkOptions } from './ui-writer.ts'
import type { UiChunk } from './ui-output.ts'
import { openFormat } from '../port/index.ts'

const ROOT = 'root'
const KID = 'kid'
const say = (type: string, delta: unknown, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta: typeof delta === 'string' ? delta : JSON.stringify(delta),
  ...more,
})
const words = (text: string, more: Partial<Envelope> = {}): Envelope[] => [
  say('text', text, { final: false, ...more }),
  say('text', '', more),
]
const init = say('meta_init', { run_id: 'r1', model: 'm', name: 'mill', user_query: 'q' })
const end = (stop_reason = 'end_turn') =>
  say('meta_end', { stop_reason, usage: { output_tokens: 3 } })
const call = (id: string, input: unknown = {}, more: Partial<Envelope> = {}) =>
  say('tool_call', input, { id, name: 'grind', ...more })
const result = (id: string, text: string, more: Partial<Envelope> = {}) =>
  say('tool_result', text, { id, name: 'grind', ...more })
const step = say('meta_step', { step: 1 })

const chunksOf = (envelopes: readonly Envelope[], options: AiSdkOptions = {}) =>
  toChunks(writeUi(envelopes, { session: ROOT, ...options }))
const typesOf = (envelopes: readonly Envelope[], options?: AiSdkOptions) =>
  chunksOf(envelopes, options).map(({ type }) => type)

/** Returns the message that both versions of the SDK build, which may differ only in citations. */
async function messageOf(envelopes: readonly Envelope[], options?: AiSdkOptions) {
  const chunks = chunksOf(envelopes, options)
  await expectValid(chunks)
  const [older, newer] = await Promise.all(sdkVersions.map((one) => accumulate(one, chunks)))
  if (older === undefined || newer === undefined) throw new Error('There is no message.')
  const parts = newer.parts.map(({ citations: _, ...part }) => part)
  expect({ ...newer, parts }).toEqual(older)
  return newer
}

describe('a run is one message', () => {
  test('with the id of the run, its text and reasoning, and its cost', async () => {
    const message = await messageOf([
      init,
      say('thinking', 'hm', { final: false }),
      say('thinking', ''),
      say('thinking', '', { redacted: true }),
      ...words('wheat'),
      step,
      end(),
    ])
    expect(message).toMatchObject({
      id: 'r1',
      role: 'assistant',
      metadata: {
        agent_uuid: ROOT,
        run_id: 'r1',
        model: 'm',
        stop_reason: 'end_turn',
        usage: { output_tokens: 3 },
      },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm', state: 'done' },
        { type: 'reasoning', providerMetadata: { millrace: { redacted: true } } },
        { type: 'text', text: 'wheat', state: 'done' },
      ],
    })
  })

  test('has results in the step of their calls', () => {
    const first = [...words('a'), call('c1'), call('c2'), step, result('c1', 'x')]
    const types = typesOf([init, ...first, result('c2', 'y'), ...words('b'), step, end()])
    expect(types.join(' ')).toBe(
      [
        'start start-step text-start text-delta text-end',
        'tool-input-start tool-input-delta tool-input-available',
        'tool-input-start tool-input-delta tool-input-available',
        'tool-output-available tool-output-available finish-step',
        'start-step text-start text-delta text-end finish-step finish',
      ].join(' '),
    )
  })

  test('is a message without a known id if the log begins in the middle of the run', async () => {
    const message = await messageOf([result('c9', 'x'), step, ...words('b'), end()])
    expect(message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolCallId: 'c9', output: 'x' },
      { type: 'step-start' },
      { type: 'text', text: 'b' },
    ])
  })
})

describe('tools', () => {
  test('have values as arguments and outputs; text that is not JSON is marked', async () => {
    const { parts } = await messageOf([
      init,
      call('c1', { n: 1 }),
      call('c2', '{"cut'),
      call('c3', ''),
      step,
      result('c1', '{"flour":[2]}'),
      result('c2', 'bad input', { is_error: true }),
      result('c3', '{ "spaced": 1 }'),
      ...words('b'),
      end(),
    ])
    expect(parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { toolCallId: 'c1', input: { n: 1 }, state: 'output-available', output: { flour: [2] } },
      { toolCallId: 'c2', state: 'output-error', errorText: 'bad input' },
      { toolCallId: 'c3', input: {}, output: '{ "spaced": 1 }' },
    ])
  })

  test('of the provider are marked, and a result without a call gets one', async () => {
    const server = { id: 's1', name: 'search' }
    const { parts } = await messageOf([
      init,
      say('server_tool_call', { q: 1 }, server),
      say('server_tool_result', [{ url: 'u' }], { ...server, name: 'search_result' }),
      say('server_tool_result', { file_id: 'f' }, { id: 'block_3', name: 'container_upload' }),
      ...words('b'),
      end(),
    ])
    expect(parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { toolName: 'search', providerExecuted: true, output: [{ url: 'u' }] },
      { toolName: 'container_upload', providerExecuted: true, output: { file_id: 'f' } },
    ])
  })

  test('have images in their output', async () => {
    const image = { id: 'c1', name: 'grind', src: '/i', media_type: 'image/png' }
    const { parts } = await messageOf([
      init,
      call('c1'),
      step,
      result('c1', 'seen', { final: false }),
      say('tool_result_image', '', { ...image, final: false }),
      result('c1', ''),
      ...words('b'),
      end(),
    ])
    expect(parts[1]).toMatchObject({
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'seen' },
          { type: 'image-url', url: '/i', mediaType: 'image/png' },
        ],
      },
    })
  })

  test('have no value for input that is nested too deeply to be encoded', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect(typesOf([init, call('c1', deep)])).toContain('tool-input-error')
  })
})

describe('sources', () => {
  test('include each citation, also as a citation of its text for clients that support it', async () => {
    const cite = { citation_type: 'web_search_result_location', url: 'https://a', title: 'A' }
    const page = { citation_type: 'page_location', document_title: 'D', start_page_number: 2 }
    const chunks = chunksOf([
      init,
      ...words('rye'),
      say('citation', 'one', { ...cite, final: false }),
      say('citation', 'two', page),
      end(),
    ])
    await expectValid(chunks)
    expect(chunks.find(({ type }) => type === 'text-end')).toMatchObject({
      citations: [
        { citedText: 'one', source: { sourceType: 'url', url: 'https://a', title: 'A' } },
        { citedText: 'two', source: { sourceType: 'document', title: 'D' } },
      ],
    })
    expect(chunks.filter(({ type }) => type.startsWith('source'))).toMatchObject([
      { type: 'source-url', url: 'https://a' },
      {
        type: 'source-document',
        mediaType: 'application/pdf',
        providerMetadata: { millrace: { start_page_number: 2, cited_text: 'two' } },
      },
    ])
  })
})

describe('pending runs', () => {
  const asked = say('awaiting_frontend_tools', [{ tool_use_id: 'c1', name: 'grind', input: {} }])
  const judged = say('awaiting_approval', [{ tool_use_id: 'c1', name: 'grind', input: {} }])

  test('finish the message for calls, and continue it under its id', () => {
    const paused = [init, call('c1'), step, asked, end('awaiting_frontend_tools')]
    const on = [result('c1', 'yes'), ...words('b'), end()]
    const chunks = chunksOf([...paused, ...on])
    const starts = chunks.filter(({ type }) => type === 'start')
    expect(starts).toMatchObject([{ messageId: 'r1' }, { messageId: 'r1' }])
    const finishes = chunks.filter(({ type }) => type === 'finish')
    expect(finishes).toMatchObject([{ finishReason: 'tool-calls' }, { finishReason: 'stop' }])
  })

  test('request approvals, and report a denial as such', async () => {
    const refused = say('tool_status', 'no', { id: 'c1', name: 'grind', stage: 'refused' })
    const paused = [init, call('c1'), step, judged, end('awaiting_approval')]
    expect((await messageOf(paused)).parts[1]).toMatchObject({
      state: 'approval-requested',
      approval: { id: 'c1' },
    })
    const denied = [...paused, refused, result('c1', 'no', { is_error: true }), ...words('b')]
    expect((await messageOf([...denied, end()])).parts[1]).toMatchObject({ state: 'output-denied' })
  })

  test('do not end when one of two calls is answered, and request nothing again', async () => {
    const both = ['c1', 'c2'].map((id) => ({ tool_use_id: id, name: 'grind', input: {} }))
    const status = (id: string, stage: string, detail = '') =>
      say('tool_status', detail, { id, name: 'grind', stage })
    const read = (log: readonly Envelope[]) => {
      const writer = openFormat(uiMessagesFormat(aiSdkFormat()), ROOT)
      const frames = log.flatMap((envelope, at) => writer.write(envelope, at + 1))
      const [, reply] = [...frames, ...writer.finish('done')].map(({ data = '' }) => data)
      const message = JSON.parse(reply ?? '') as SeenMessage
      return message.parts.slice(1)
    }
    const open = [init, call('c1'), call('c2'), step]
    const awaited = [say('awaiting_frontend_tools', both), end('awaiting_frontend_tools')]
    const half = [...open, ...awaited, status('c1', 'answered')]
    expect(typesOf(half).slice(-3)).toEqual(['start', 'data-tool-status', 'finish'])
    expect(chunksOf(half).at(-1)).toMatchObject({ finishReason: 'tool-calls' })
    await messageOf(half)
    expect(read(half)).toMatchObject([
      { toolCallId: 'c1', state: 'output-available', output: { status: 'answered' } },
      { toolCallId: 'c2', state: 'input-available' },
    ])
    const results = [result('c1', 'yes'), result('c2', 'no')]
    expect(read([...half, ...results, end()])).toMatchObject([{ output: 'yes' }, { output: 'no' }])
    const asking = [...open, say('awaiting_approval', both), end('awaiting_approval')]
    expect(read([...asking, status('c2', 'refused', 'No.')])).toMatchObject([
      { state: 'approval-requested' },
      { state: 'approval-responded', approval: { id: 'c2', approved: false, reason: 'No.' } },
    ])
    // A run that was lost after the pause is not a pause.
    expect(typesOf([...half, ...words('a').slice(0, 1)]).at(-1)).toBe('error')
  })

  test('show arguments that a user has changed', async () => {
    const edited = say('tool_status', { n: 2 }, { id: 'c1', name: 'grind', stage: 'approved' })
    const paused = [init, call('c1', { n: 1 }), step, judged, end('awaiting_approval'), edited]
    const { parts } = await messageOf([...paused, result('c1', 'ok'), ...words('b'), end()])
    expect(parts[1]).toMatchObject({ input: { n: 2 }, output: 'ok' })
  })

  test('show a pending call of a sub-agent, so that a page can continue by itself', async () => {
    const spawn = say('tool_call', {}, { id: 's1', name: 'spawn_subagent' })
    const kidInit = say('meta_init', { parent_agent_uuid: ROOT }, { agent: KID })
    const kidCall = call('c1', {}, { agent: KID })
    const wait = { ...asked, agent: KID }
    const kidEnd = { ...end('awaiting_frontend_tools'), agent: KID }
    const log = [init, spawn, step, kidInit, kidCall, wait, kidEnd, end('awaiting_frontend_tools')]
    for (const subagents of ['data', 'inline', 'drop'] as const) {
      const message = await messageOf(log, { subagents })
      const tools = message.parts.filter(({ type }) => type === 'dynamic-tool')
      expect(tools).toMatchObject([
        { toolCallId: 's1', state: 'output-available', output: { status: 'waiting' } },
        { toolCallId: 'c1', state: 'input-available' },
      ])
      const after = [result('c1', 'yes', { agent: KID }), result('s1', 'dug'), ...words('b'), end()]
      const done = await messageOf([...log, ...after], { subagents })
      const outputs = done.parts.filter(({ type }) => type === 'dynamic-tool')
      expect(outputs).toMatchObject([{ output: 'dug' }, { output: 'yes' }])
    }
  })
})

describe('ends of runs', () => {
  test('with an error have the error as the last event that a client reads, after its code and the cost', () => {
    const error = say('error', { type: 't', message: 'no grain', code: 'c', retriable: true })
    expect(chunksOf([init, error, end('error')]).slice(-3)).toMatchObject([
      {
        type: 'message-metadata',
        messageMetadata: { error: { code: 'c' }, usage: { output_tokens: 3 } },
      },
      { type: 'error', errorText: 'no grain' },
      { type: 'finish', finishReason: 'error' },
    ])
  })

  test('by a stop are aborts', () => {
    expect(typesOf([init, ...words('a'), end('aborted')]).slice(-3)).toEqual([
      'finish-step',
      'abort',
      'finish',
    ])
  })

  test('after calls leave nothing that a page would continue automatically', async () => {
    const { parts } = await messageOf([init, call('c1'), step, result('c1', 'x'), end('max_steps')])
    expect(parts.at(-1)).toMatchObject({ type: 'step-start' })
  })

  test('by an interruption of the stream are errors, never regular ends', () => {
    expect(typesOf([init, say('text', 'a', { final: false })]).slice(-2)).toEqual([
      'text-end',
      'error',
    ])
  })
})

describe('content without a counterpart in the AI SDK', () => {
  test('rolled-back content is named, and its calls are answered', async () => {
    const log = [init, ...words('gone'), call('c1'), say('rollback', { step: 1, attempt: 2 })]
    const message = await messageOf([...log, ...words('kept'), end()])
    expect(textOf(message)).toBe('kept')
    expect(message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'gone' },
      { type: 'dynamic-tool', state: 'output-error' },
      { type: 'data-rollback', data: { parts: ['b2', 'c1'], attempt: 2 } },
      { type: 'step-start' },
      { type: 'text', text: 'kept' },
    ])
    const chunks = chunksOf([...log, ...words('kept'), end()], { rollback: 'reset-step' })
    const newer = await accumulate(7, chunks)
    expect(newer?.parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
    await expect(expectValid(chunks)).rejects.toThrow('reset-step')
  })

  test('messages to the run, files, stages and compaction are data', async () => {
    const file = { file_id: 'f', filename: 'a.csv', storage_location: '/agent/x/files/f' }
    const log = [
      init,
      say('user_message', 'faster'),
      say('meta_files', { files: [file] }),
      say('tool_status', 'half', { id: 'c1', name: 'grind', stage: 'progress' }),
      say('meta_compaction', { strategy: 's' }),
      end(),
    ]
    expect((await messageOf(log)).parts).toMatchObject([
      { type: 'data-user-message', data: { text: 'faster' } },
      { type: 'data-file', id: 'f', data: file },
    ])
    const transient = chunksOf(log).filter((chunk) => chunk['transient'] === true)
    expect(transient.map(({ type }) => type)).toEqual(['data-tool-status', 'data-compaction'])
  })
})

describe('sub-agents', () => {
  const kid = { agent: KID }
  const text = 'x'.repeat(20 * 1024)
  const deltas = Array.from({ length: text.length / 4 }, () =>
    say('text', 'xxxx', { final: false, ...kid }),
  )
  const log = [
    init,
    call('s1'),
    step,
    say('meta_init', { parent_agent_uuid: ROOT, parent_tool_use_id: 's1', name: 'digger' }, kid),
    ...deltas,
    say('text', '', kid),
    call('c1', { n: 1 }, kid),
    result('c1', 'y', kid),
    { ...end(), ...kid },
    result('s1', 'dug'),
    ...words('b'),
    end(),
  ]

  test('as data have one part for each agent and each block, and transient deltas', async () => {
    const { parts } = await messageOf(log)
    expect(parts.filter(({ type }) => type.startsWith('data-'))).toMatchObject([
      {
        type: 'data-agent',
        id: KID,
        data: { name: 'digger', status: 'ended', parent_tool_use_id: 's1' },
      },
      { type: 'data-agent-block', data: { agent: KID, type: 'text', text } },
      { type: 'data-agent-block', data: { type: 'tool_call', name: 'grind', input: { n: 1 } } },
      { type: 'data-agent-block', data: { type: 'tool_result', text: 'y' } },
    ])
  })

  test('with a long answer cost about its size, and the kept part is bounded', () => {
    const bytes = (options?: AiSdkOptions) =>
      writeUi(log, { session: ROOT, ...options }).reduce(
        (sum, { data = '' }) => sum + data.length,
        0,
      )
    const own = bytes({ subagents: 'inline' })
    expect(bytes()).toBeLessThan(own * 2.5)
    expect(bytes({ subagents: 'drop' })).toBeLessThan(2_000)
    const cut = chunksOf(log, { maxSubagentBlockLength: 8 })
    expect(cut.find(({ type }) => type === 'data-agent-block')).toMatchObject({
      data: { text: 'xxxxxxxx', is_cut: true },
    })
  })

  test('inline have parts like those of the root, with the name of their agent', async () => {
    const { parts } = await messageOf(log, { subagents: 'inline' })
    expect(parts.filter(({ type }) => type !== 'data-agent')).toMatchObject([
      { type: 'step-start' },
      { toolCallId: 's1', output: 'dug' },
      { type: 'text', text, providerMetadata: { millrace: { agent: KID } } },
      { toolCallId: 'c1', output: 'y' },
      { type: 'step-start' },
      { type: 'text', text: 'b' },
    ])
  })
})

describe('any log', () => {
  const modes = fc.constantFrom('data' as const, 'inline' as const, 'drop' as const)

  test('is valid for both versions, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryStream(), modes, async (envelopes, subagents) => {
        const chunks = chunksOf(envelopes, { subagents })
        await expectValid(chunks)
        const whole = chunks.filter(({ type }) => type !== 'error')
        for (const version of sdkVersions) await accumulate(version, whole)
      }),
      { numRuns: 150 },
    )
  })
})

/** Returns a live message as a page that is loaded now should show it: settled calls are not pending, even while others are. [CALL-3] */
function asLoaded(
  message: SeenMessage | undefined,
  chunks: readonly UiChunk[],
): SeenMessage | undefined {
  if (message === undefined) return undefined
  const stages = new Map(
    chunks
      .filter(({ type }) => type === 'data-tool-status')
      .map(({ data }) => data as { toolCallId: string; stage: string; detail: string })
      .filter(({ stage }) => ['approved', 'refused', 'answered'].includes(stage))
      .map((data) => [data.toolCallId, data]),
  )
  const parts = message.parts.map((part) => {
    const { stage, detail } = stages.get(String(part['toolCallId'])) ?? {}
    if (part['state'] === 'input-available' && stage === 'answered')
      return { ...part, state: 'output-available', output: { status: 'answered' } }
    if (part['state'] !== 'approval-requested' || !stage || stage === 'answered') return part
    const reason = stage === 'refused' && detail ? { reason: detail } : {}
    const approval = { id: String(part['toolCallId']), approved: stage === 'approved', ...reason }
    return { ...part, state: 'approval-responded', approval }
  })
  return { ...message, parts }
}

describe('any run of real agents', () => {
  const modes = fc.constantFrom('data' as const, 'inline' as const, 'drop' as const)

  test('is one message for each run, which we build from its chunks as both versions do', async () => {
    const property = fc.asyncProperty(anyLogPlan, modes, async (plan, subagents) => {
      const log = await playLog(plan)
      const session = log[0]?.agent ?? ''
      for (const envelopes of runsIn(log)) {
        const chunks = toChunks(writeUi(envelopes, { session, subagents }))
        await expectValid(chunks)
        const whole = chunks.filter(({ type }) => type !== 'error')
        const writer = openFormat(uiMessagesFormat(aiSdkFormat({ subagents })), session)
        const received = [
          ...envelopes.flatMap((envelope, at) => writer.write(envelope, at + 1)),
          ...writer.finish('done'),
        ].map(({ data = '' }) => JSON.parse(data) as SeenMessage)
        const ours = received.find(({ role }) => role === 'assistant')
        for (const version of sdkVersions) {
          const theirs = await accumulate(version, whole)
          expect(withoutInput(asLoaded(theirs, chunks))).toEqual(withoutInput(ours))
        }
      }
    })
    await fc.assert(property, { numRuns: runs(20, 1000), endOnFailure: true })
  })

  test('[DIA-1] is complete when read in two halves, at any cut', async () => {
    const property = fc.asyncProperty(anyLogPlan, fc.nat(), modes, async (plan, at, subagents) => {
      const log = await playLog(plan)
      const session = log[0]?.agent ?? ''
      const open = () => openFormat(aiSdkFormat({ subagents }), session)
      const cursor = at % (log.length + 1)
      const first = log.slice(0, cursor).findLastIndex((one) => isStart(one, session))
      const whole = open()
      const frames = log.map((envelope, index) => whole.write(envelope, index + 1))
      const resumed = open()
      const again = log
        .map((envelope, index) => (index < first ? [] : resumed.write(envelope, index + 1)))
        .slice(cursor)
      expect(again).toEqual(frames.slice(cursor))
      expect(resumed.finish('done')).toEqual(whole.finish('done'))
    })
    await fc.assert(property, { numRuns: runs(30, 2000), endOnFailure: true })
  })
})

const isStart = ({ type, agent }: Envelope, session: string): boolean =>
  type === 'meta_init' && agent === session

/** Returns the runs of a log, each of which is a message. */
function runsIn(log: readonly Envelope[]): readonly (readonly Envelope[])[] {
  const session = log[0]?.agent ?? ''
  const starts = log.flatMap((one, at) => (isStart(one, session) ? [at] : []))
  return starts.map((start, index) => log.slice(start, starts[index + 1]))
}

/** Removes invalid arguments, which the versions store in different fields. */
function withoutInput(message: SeenMessage | undefined) {
  const parts = message?.parts.map(({ citations: _, rawInput: __, ...part }) => part)
  return { ...message, parts }
}
