import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import { BetaMessageStream } from '@anthropic-ai/sdk/lib/BetaMessageStream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryStream } from '../../../test/support/arbitrary-stream.ts'
import { anyLog, type LoggedMessage, toFrames, writeAll } from '../../../test/support/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import { createJoiner, type Envelope } from '../../envelope/index.ts'
import { envelopeFormatter } from '../../formatters/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import { encodeSse } from '../../sse/index.ts'
import type { DialectFrame } from '../dialect.ts'
import { toInputJson } from './message-frames.ts'
import { rawDialect } from './raw-dialect.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})
const part = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope =>
  say(type, delta, { final: false, ...more })

const toLog = (envelopes: readonly Envelope[]): LoggedMessage[] =>
  envelopes.map((envelope, index) => ({ id: index + 1, envelope }))
const write = (...envelopes: Envelope[]) => toFrames(rawDialect(), { root: ROOT }, toLog(envelopes))

/** The frames of each message, as the API would answer a request with them. */
function split(frames: readonly DialectFrame[]): DialectFrame[][] {
  const messages: DialectFrame[][] = []
  for (const frame of frames) {
    if (frame.event === 'message_start' || messages.length === 0) messages.push([])
    messages.at(-1)?.push(frame)
  }
  return messages
}

const isWhole = (frames: readonly DialectFrame[]) => frames.at(-1)?.event === 'message_stop'
const toLines = (frames: readonly DialectFrame[]) =>
  new Response(frames.map(({ data }) => `${data}\n`).join('')).body!

/** What the official SDK makes of a message, in both of its forms. */
async function accumulate(frames: readonly DialectFrame[]) {
  const message = await MessageStream.fromReadableStream(toLines(frames)).finalMessage()
  const beta = await BetaMessageStream.fromReadableStream(toLines(frames)).finalMessage()
  expect(JSON.parse(JSON.stringify(message.content))).toEqual(
    JSON.parse(JSON.stringify(beta.content)),
  )
  return message
}

/** What a log says that messages can carry: its root's blocks, without regard to their order. */
function carried(log: readonly LoggedMessage[], root: string): string[] {
  const joiner = createJoiner()
  const told: string[] = []
  let step: string[] = []
  let calls = new Map<string, string>()
  let isOver = false
  const keep = () => {
    told.push(...step, ...calls.values())
    step = []
    calls = new Map()
  }
  const deeds: Record<string, (whole: Envelope) => void> = {
    text: ({ delta }) => delta !== '' && step.push(`text ${delta}`),
    thinking: ({ delta }) => delta !== '' && step.push(`thinking ${delta}`),
    tool_call: (call) => calls.set(call.id ?? '', toCall(call)),
    server_tool_call: (call) => step.push(toCall(call)),
    server_tool_result: (result) => step.push(toResult(result)),
    tool_result: (result) => {
      keep()
      told.push(toResult(result))
    },
    meta_step: keep,
    meta_init: () => (isOver = false),
    meta_end: () => {
      keep()
      isOver = false
    },
    error: () => {
      keep()
      isOver = true
    },
    rollback: () => {
      calls.clear()
      keep()
    },
  }
  for (const { envelope } of log) {
    const { span, ...own } = envelope
    const whole = own.agent === root ? joiner.push(own) : undefined
    if (whole === undefined) continue
    if (isOver && whole.type !== 'meta_end' && whole.type !== 'meta_init') continue
    deeds[whole.type]?.(whole)
  }
  keep()
  return told.toSorted()
}

const toCall = ({ id, name, delta }: Envelope) => `call ${id} ${String(name)} ${toInputJson(delta)}`

/** Results are compared by what they hold: a block of the API may have it in `content`. */
function toResult({ delta }: Envelope): string {
  const parsed = tryParse(delta)
  const items = Array.isArray(parsed) ? parsed : undefined
  const [first] = (items ?? []) as { text?: string }[]
  const content = parseJsonObject(delta)?.['content'] ?? first?.text ?? parsed
  return `result ${typeof content === 'string' ? content : JSON.stringify(content)}`
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What our own reader of the Messages API makes of messages. */
function read(frames: readonly DialectFrame[]): string[] {
  return split(frames)
    .flatMap((message) => {
      const formatter = envelopeFormatter({ agent: ROOT })
      return [...formatter.feed(message.map(encodeSse).join('')), ...formatter.finish()]
    })
    .reduce<{ joiner: ReturnType<typeof createJoiner>; told: string[] }>(
      ({ joiner, told }, envelope) => {
        const whole = joiner.push(envelope)
        if (whole?.type.endsWith('_call') === true) told.push(toCall(whole))
        else if (whole?.type.endsWith('_result') === true) told.push(toResult(whole))
        else if (whole !== undefined && ['text', 'thinking'].includes(whole.type))
          told.push(...(whole.delta === '' ? [] : [`${whole.type} ${whole.delta}`]))
        return { joiner, told }
      },
      { joiner: createJoiner(), told: [] },
    )
    .told.toSorted()
}

describe('any run', () => {
  test('is messages that the official SDK accumulates', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (log) => {
        const frames = toFrames(rawDialect(), log, log.messages)
        for (const message of split(frames)) {
          if (isWhole(message)) await accumulate(message)
          else expect(message.at(-1)?.event).toBe('error')
        }
      }),
      { numRuns: runs(60, 2000) },
    )
  })

  test('has one block open at a time, counted from 0', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyLog.map(({ messages }) => messages),
          arbitraryStream().map(toLog),
        ),
        (log) => {
          const root = log[0]?.envelope.agent ?? ROOT
          for (const message of split(toFrames(rawDialect(), { root }, log))) checkOrder(message)
        },
      ),
      { numRuns: runs(200, 5000) },
    )
  })

  test('read back keeps what messages can carry', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const frames = toFrames(rawDialect(), log, log.messages)
        // Calls that were only announced are tested below.
        const shown = read(frames).filter((told) => !told.startsWith('call p '))
        expect(shown).toEqual(carried(log.messages, log.root))
      }),
      { numRuns: runs(200, 5000) },
    )
  })

  test('merged for catch-up says the same', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const ids = (frames: readonly DialectFrame[]) =>
          frames.filter(({ event }) => event !== 'content_block_delta')
        const plain = toFrames(rawDialect(), log, log.messages)
        const merged = toFrames(rawDialect(), log, log.merged)
        expect(ids(merged)).toEqual(ids(plain))
        expect(read(merged)).toEqual(read(plain))
      }),
      { numRuns: runs(100, 2000) },
    )
  })

  test('resumed anywhere goes on as if there had been no cut [DIA-1]', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, place) => {
        const cut = place % (log.messages.length + 1)
        const whole = rawDialect().open(log.root)
        const all = writeAll(whole, log.messages)
        const fresh = rawDialect().open(log.root)
        const again = writeAll(fresh, log.messages)
        expect([...all.slice(0, cut), ...again.slice(cut)]).toEqual(all)
      }),
      { numRuns: runs(50, 500) },
    )
  })
})

/** Blocks come one after the other, and all are closed. */
function checkOrder(frames: readonly DialectFrame[]): void {
  let open: number | undefined
  let next = 0
  for (const { data = '' } of frames) {
    const { type, index } = JSON.parse(data) as { type: string; index?: number }
    if (type === 'content_block_start') {
      expect([open, index]).toEqual([undefined, next++])
      open = index
    } else if (type.startsWith('content_block')) expect(index).toBe(open)
    else expect(open).toBeUndefined()
    if (type === 'content_block_stop') open = undefined
  }
}

const init = say('meta_init', '{"model":"model-1"}')
const step = (usage: object) => say('meta_step', JSON.stringify({ stop_reason: 'tool_use', usage }))
const end = (reason: string) => say('meta_end', JSON.stringify({ stop_reason: reason }))
const call = (id: string, name: string, input: string) => say('tool_call', input, { id, name })

describe('a part of a run', () => {
  test('is one message, with the tools that the server ran as those of a remote server', async () => {
    const frames = write(
      init,
      part('text', 'Grind.'),
      say('text', ''),
      call('c1', 'grind', '{"kg":900719925474099312345}'),
      step({ input_tokens: 3, output_tokens: 4, server_tool_use: { web_search_requests: 1 } }),
      part('tool_result', 'Flour', { id: 'c1', name: 'grind' }),
      part('tool_result_image', '', {
        id: 'c1',
        name: 'grind',
        src: '/i/1',
        media_type: 'image/png',
      }),
      say('tool_result', '', { id: 'c1', name: 'grind', is_error: true }),
      part('text', 'Done.'),
      say('text', ''),
      say('citation', 'It turns.', { citation_type: 'page_location', document_index: 0 }),
      step({ input_tokens: 5, output_tokens: 6, server_tool_use: { web_search_requests: 2 } }),
      end('end_turn'),
    )
    expect(frames.map(({ data }) => data).join('')).toContain('900719925474099312345')
    expect(await accumulate(frames)).toMatchObject({
      id: `msg_${ROOT}_1`,
      model: 'model-1',
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 10, server_tool_use: { web_search_requests: 3 } },
      content: [
        { type: 'text', text: 'Grind.' },
        { type: 'mcp_tool_use', id: 'c1', name: 'grind', server_name: 'millrace', input: {} },
        {
          type: 'mcp_tool_result',
          tool_use_id: 'c1',
          is_error: true,
          content: [
            { type: 'text', text: 'Flour' },
            { type: 'image', source: { type: 'url', url: '/i/1' } },
          ],
        },
        {
          type: 'text',
          text: 'Done.',
          citations: [{ type: 'page_location', cited_text: 'It turns.', file_id: null }],
        },
      ],
    })
  })

  test('that waits ends with the calls that wait, as tool_use', async () => {
    const child = { agent: 'child' }
    const [first = [], second = []] = split(
      write(
        init,
        call('c1', 'confirm', '{"q":1.50}'),
        call('c2', 'grind', '{}'),
        call('c3', 'spawn', '{}'),
        step({ output_tokens: 1 }),
        say('tool_result', 'Flour', { id: 'c2', name: 'grind' }),
        say('awaiting_approval', '[{"tool_use_id":"d1","name":"shell","input":{"a":1}}]', child),
        say('awaiting_frontend_tools', '[{"tool_use_id":"c1","name":"confirm","input":{"q":1.5}}]'),
        end('awaiting_frontend_tools'),
        say('tool_result', 'yes', { id: 'c1', name: 'confirm' }),
        end('awaiting_approval'),
      ),
    )
    expect(await accumulate(first)).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'mcp_tool_use', id: 'c2' },
        { type: 'mcp_tool_result', tool_use_id: 'c2' },
        { type: 'mcp_tool_use', id: 'c3' },
        { type: 'tool_use', id: 'c1', input: { q: 1.5 } },
        { type: 'tool_use', id: 'd1', name: 'shell', input: { a: 1 } },
      ],
    })
    // What still waits is said again, because it is what the reader can do now.
    expect(await accumulate(second)).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'mcp_tool_result', tool_use_id: 'c1' },
        { type: 'tool_use', id: 'd1' },
      ],
    })
  })

  test('shows what the provider ran as it was', async () => {
    const frames = write(
      init,
      say('thinking', '', { redacted: true }),
      say('server_tool_call', '{"q":"mill"}', { id: 's1', name: 'web_search' }),
      say('server_tool_result', '[{"url":"u"}]', { id: 's1', name: 'web_search_tool_result' }),
      say('server_tool_call', '{"q":2}', { id: 's2', name: 'search', server_name: 'archive' }),
      say('server_tool_result', '[]', { id: 's2', name: 'mcp_tool_result', is_error: true }),
      say('server_tool_result', '{"type":"container_upload","file_id":"f"}', {
        id: 's3',
        name: 'container_upload',
      }),
      end('refusal'),
    )
    expect((await accumulate(frames)).content).toMatchObject([
      { type: 'redacted_thinking' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 'mill' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] },
      { type: 'mcp_tool_use', id: 's2', server_name: 'archive', input: { q: 2 } },
      { type: 'mcp_tool_result', tool_use_id: 's2', is_error: true, content: [] },
      { type: 'container_upload', file_id: 'f' },
    ])
  })

  test('whose arguments are no JSON does not break its reader', async () => {
    const broken = { id: 's1', name: 'web_search' }
    const frames = write(init, say('server_tool_call', '{"q":', broken), end('max_tokens'))
    expect(await accumulate(frames)).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ input: { INVALID_JSON: '{"q":' } }],
    })
  })

  test('that fails ends with the error, and the next begins anew', () => {
    const failed = say('error', '{"type":"overloaded_error","message":"Busy","code":"overloaded"}')
    const frames = write(init, part('text', 'a'), say('text', ''), failed, end('error'), init)
    expect(frames.map(({ event }) => event).slice(4)).toEqual([
      'error',
      'message_start',
      'message_delta',
      'message_stop',
    ])
    expect(JSON.parse(frames[4]?.data ?? '')).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Busy', details: { error_code: 'overloaded' } },
    })
  })

  test('takes back what it has not said yet; what was said fails, and what follows is a message of its own', () => {
    const again = say('rollback', '{"step":1}')
    const held = write(init, call('c1', 'f', '{}'), again, part('text', 'b'), end('end_turn'))
    expect(held.at(-1)?.event).toBe('message_stop')
    expect(JSON.stringify(held)).not.toContain('c1')
    const said = write(init, part('text', 'a'), say('text', ''), again, say('text', 'b'), end('x'))
    expect(split(said).map((frames) => frames.at(-1)?.event)).toEqual(['error', 'message_stop'])
  })

  test('that is cut is an error', () => {
    const writer = rawDialect().open(ROOT)
    writeAll(writer, toLog([init, part('text', 'a')]))
    expect(writer.finish('cut').map(({ event }) => event)).toEqual(['content_block_stop', 'error'])
  })

  test('of which the beginning is lost is a message all the same', async () => {
    const frames = write(part('text', 'b'), say('text', ''), end('end_turn'))
    expect(await accumulate(frames)).toMatchObject({ content: [{ text: 'b' }] })
  })

  test('tells what it cannot say', () => {
    const omitted: string[] = []
    const writer = rawDialect({ onOmit: (name) => omitted.push(name) }).open(ROOT)
    const status = say('tool_status', '', { id: 'c', name: 'n', stage: 'started' })
    const odd = ['user_message', 'meta_files', 'meta_compaction', 'meta_final', 'odd']
    writeAll(
      writer,
      toLog([status, ...odd.map((type) => say(type, '{}')), { ...init, agent: 'c' }]),
    )
    expect(omitted).toEqual(['tool_status', ...odd, 'messages of sub-agents'])
  })

  test('that makes a writer keep too much is refused', () => {
    const writer = rawDialect({ maxHeldLength: 100 }).open(ROOT)
    const long = 'x'.repeat(200)
    writer.write(part('text', 'a', { id: '1' }), 1)
    expect(() => writer.write(part('text', long, { id: '2' }), 2)).toThrow('maxHeldLength')
    expect(() => writer.write(call('c', 'f', `"${long}"`), 3)).toThrow('maxHeldLength')
  })
})
