import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { joinSegments } from '../../../test/support/segments/join-segments.ts'
import {
  anyLog,
  type LoggedMessage,
  toFrames,
  writeAll,
} from '../../../test/support/frames/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import { createJoiner, encodeEnvelope, type Envelope, createVerifier } from '../../events/index.ts'
import { createSegmentParser, type SegmentEvent } from '../../segments/index.ts'
import { type FormatFrame, openFormat } from '../port/index.ts'
import { segmentsFormat } from './segments-writer.ts'
import { segmentsReader } from './segments-reader.ts'

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
const all = segmentsFormat({ agents: 'all' })
const done: FormatFrame = { data: '[DONE]' }

const eventsOf = (frames: readonly FormatFrame[]) =>
  frames
    .filter(({ event }) => event === undefined)
    .map(({ data = '' }) => JSON.parse(data) as SegmentEvent)
const write = (...envelopes: Envelope[]) => toFrames(all, { root: ROOT }, toLog(envelopes))

function read(frames: readonly FormatFrame[], agent = ROOT): Envelope[] {
  const reader = segmentsReader({ agent })
  return [...frames.flatMap((frame) => reader.read(frame)), ...reader.finish()]
}

/** Returns the content of a log that segments preserve, by agent: text, calls, steps, errors, ends, and rollbacks with void blocks. */
function carried(envelopes: readonly Envelope[]): Record<string, string[]> {
  const joiner = createJoiner()
  const received: Record<string, string[]> = {}
  const shown = new Map<string, number>()
  const blocks = new Set(['text', 'thinking', 'tool_call', 'server_tool_call'])
  const settling = new Set(['meta_init', 'meta_step', 'tool_result'])
  for (const { span, ...envelope } of envelopes) {
    const whole = joiner.push(envelope)
    if (whole === undefined) continue
    const { type, agent, delta, id = '', name } = whole
    const list = (received[agent] ??= [])
    const count = shown.get(agent) ?? 0
    if (settling.has(type)) shown.set(agent, 0)
    if (blocks.has(type)) {
      const isCall = type.endsWith('call')
      if (!isCall && delta === '') continue
      shown.set(agent, count + 1)
      list.push(isCall ? `${type} ${id} ${String(name)} ${delta}` : `${type} ${delta}`)
    } else if (type === 'rollback') {
      if (count > 0) list.push(`${type} ${delta}`)
      shown.set(agent, 0)
    } else if (['meta_step', 'error', 'meta_end'].includes(type)) list.push(`${type} ${delta}`)
  }
  return received
}

describe('any run', () => {
  test('is encoded to segments, each with its start and its end, and decoded to the content that they can express', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const frames = toFrames(all, log, log.messages)
        const segments = joinSegments(eventsOf(frames))
        expect(segments.every(({ end }) => end !== undefined)).toBe(true)
        expect(carried(read([...frames, done], log.root))).toEqual(
          carried(log.messages.map(({ envelope }) => envelope)),
        )
      }),
      { numRuns: runs(200, 5000) },
    )
  })

  test('merged for catch-up has the same content', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const [plain, merged] = [log.messages, log.merged].map((messages) => {
          const frames = toFrames(all, log, messages)
          return [joinSegments(eventsOf(frames)), frames.filter(({ event }) => event)]
        })
        expect(merged).toEqual(plain)
      }),
      { numRuns: runs(100, 2000) },
    )
  })

  test('with only the root shown has the segments of the root', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const ofRoot = joinSegments(eventsOf(toFrames(segmentsFormat(), log, log.messages)))
        const ofAll = joinSegments(eventsOf(toFrames(all, log, log.messages)))
        expect(ofRoot).toEqual(ofAll.filter(({ metadata }) => metadata['agent'] === undefined))
      }),
      { numRuns: runs(50, 500) },
    )
  })

  test('that is invalid is decoded to a valid stream, complete or interrupted', () => {
    fc.assert(
      fc.property(arbitraryStream(), fc.nat(), (envelopes, place) => {
        const frames = toFrames(all, { root: 'root' }, toLog(envelopes))
        const cut = frames.slice(0, place % (frames.length + 1))
        for (const some of [[...frames, done], cut]) {
          const verifier = createVerifier({ maxBytes: Infinity })
          const received = read(some, 'root').map(encodeEnvelope)
          expect(received.flatMap((line) => verifier.push(line))).toEqual([])
          expect(verifier.end(true)).toEqual([])
        }
      }),
      { numRuns: runs(200, 5000) },
    )
  })
})

describe('a call', () => {
  test('that writes a file streams the content of the file', () => {
    const file = { id: 'c1', name: 'write_file' }
    const frames = write(
      part('tool_call', '{"path":"/a","content":"caf\\u00', file),
      part('tool_call', 'e9', file),
      say('tool_call', '","mode":7}', file),
    )
    expect(eventsOf(frames)).toEqual([
      {
        type: 'SEGMENT_START',
        segment_id: 'c1',
        segment_type: 'write_file',
        payload: { metadata: { tool_name: 'write_file', path: '/a' } },
      },
      { type: 'SEGMENT_CONTENT', segment_id: 'c1', payload: { delta: 'caf' } },
      { type: 'SEGMENT_CONTENT', segment_id: 'c1', payload: { delta: 'é' } },
      { type: 'SEGMENT_END', segment_id: 'c1', payload: { metadata: { mode: 7 } } },
    ])
    const call = read([...frames, done]).find(({ type }) => type === 'tool_call')
    expect(call).toMatchObject(file)
    expect(JSON.parse(call?.delta ?? '')).toEqual({ path: '/a', content: 'café', mode: 7 })
  })

  test('that was interrupted never appears complete', () => {
    for (const [name, input] of [
      ['write_file', '{"path":"/a","content":"abc'],
      ['run_bash', '{"command":"rm '],
      ['grind', '{"kg":1'],
    ] as const) {
      const frames = write(part('tool_call', input, { id: 'c1', name }))
      expect(eventsOf(frames).at(-1)?.payload).toEqual({ complete: false })
      const call = read(frames).find(({ type }) => type === 'tool_call')
      expect(call?.delta).toBe(input)
    }
  })

  test('of the provider or of a sub-agent is marked', () => {
    const fields = { id: 's1', name: 'write_file', server_name: 'archive' }
    const server = say('server_tool_call', '{"path":"/a","content":""}', fields)
    const own = say('tool_call', '{"n":900719925474099312345}', {
      id: 'c1',
      name: 'f',
      agent: 'kid',
    })
    const [first, second] = joinSegments(eventsOf(write(server, own)))
    expect(first).toMatchObject({
      type: 'tool_call',
      metadata: { tool_name: 'write_file', provider_executed: true, server_name: 'archive' },
    })
    expect(second?.metadata).toEqual({ tool_name: 'f', agent: 'kid' })
    const received = read([...write(server, own), done])
    expect(received).toContainEqual(server)
    expect(received).toContainEqual(own)
  })

  test('with the id of another call is distinguished', () => {
    const twice = say('tool_call', '{}', { id: 'c1', name: 'f' })
    const segments = joinSegments(eventsOf(write(twice, twice)))
    expect(segments.map(({ id }) => id)).toEqual(['c1', 'b2'])
    expect(segments[1]?.metadata).toEqual({ tool_name: 'f', call_id: 'c1' })
  })
})

describe('frames without a segment', () => {
  test('are named events: steps, rollbacks, errors and the end', () => {
    const frames = write(
      say('text', 'kept'),
      say('meta_step', '{"step":1}'),
      say('text', 'void'),
      say('rollback', '{"step":2,"attempt":2,"reason":"r"}'),
      say('error', '{"message":"m"}'),
      say('meta_end', '{"stop_reason":"error"}'),
    )
    const named = frames.filter(({ event }) => event !== undefined)
    expect(named.map(({ event, data }) => `${event} ${data}`)).toEqual([
      'stream {"type":"STREAM_STEP","payload":{"step":1}}',
      'stream {"type":"STREAM_ROLLBACK","payload":{"step":2,"attempt":2,"reason":"r","segment_ids":["b3"]}}',
      'stream {"type":"STREAM_ERROR","payload":{"message":"m"}}',
      'stream {"type":"STREAM_END","payload":{"stop_reason":"error"}}',
    ])
  })

  test('or are omitted and reported', () => {
    const omitted: string[] = []
    const writer = openFormat(segmentsFormat({ onOmit: (name) => omitted.push(name) }), ROOT)
    const call = { id: 'c', name: 'n' }
    const odd = ['user_message', 'awaiting_frontend_tools', 'awaiting_approval', 'meta_files']
    const last = ['meta_compaction', 'meta_final', 'odd']
    writeAll(
      writer,
      toLog([
        say('tool_result', '', call),
        say('server_tool_result', '{}', call),
        say('tool_status', '', { ...call, stage: 'started' }),
        ...[...odd, ...last].map((type) => say(type, '{}')),
        say('text', 'x', { agent: 'kid' }),
      ]),
    )
    expect(omitted).toEqual([
      'tool_result',
      'server_tool_result',
      'tool_status',
      ...odd,
      ...last,
      'messages of sub-agents',
    ])
  })
})

describe('the reader', () => {
  test('reads the output of a text parser', () => {
    const parser = createSegmentParser({ strategy: 'xml' })
    const text = 'Hi <write_file path="/a">x</write_file><tool name="f"><n>1</n></tool>'
    const events = [...parser.feed(text), ...parser.finalize()]
    const received = read([...events.map((event) => ({ data: JSON.stringify(event) })), done])
    const calls = received.filter(({ type }) => type === 'tool_call')
    expect(calls.map(({ name, delta }) => `${String(name)} ${delta}`)).toEqual([
      'write_file {"path":"/a","content":"x"}',
      'f {"n":"1"}',
    ])
  })

  test('skips unknown events, and rejects text that is not JSON', () => {
    const reader = segmentsReader({ agent: ROOT })
    expect(reader.read({ data: '{"type":"SEGMENT_PAUSE","segment_id":"s"}' })).toEqual([])
    expect(reader.read({ data: '{"type":"SEGMENT_END","segment_id":"s"}' })).toEqual([])
    expect(() => reader.read({ data: 'hm' })).toThrow('must be a JSON object')
    expect(reader.finish()).toEqual([])
  })

  test('holds a bounded amount', () => {
    const reader = segmentsReader({ agent: ROOT, maxHeldLength: 10 })
    const [start, content] = eventsOf(
      write(part('tool_call', 'x'.repeat(20), { id: 'c', name: 'f' })),
    )
    reader.read({ data: JSON.stringify(start) })
    expect(() => reader.read({ data: JSON.stringify(content) })).toThrow('10 characters')
  })
})

describe('the arguments of a decoded call', () => {
  const inputs = [
    ['write_file', '{"path":"/a"}'],
    ['write_file', '{"path":"/a","content":""}'],
    ['write_file', '{"content":"x"}'],
    ['write_file', '{}'],
    ['patch_file', '{"path":"/a"}'],
    ['run_bash', '{}'],
    ['run_bash', '{"command":""}'],
  ] as const

  test.each(inputs)('%s %s equal the encoded ones', (name, input) => {
    const call = say('tool_call', input, { id: 'c1', name, agent: 'kid' })
    const received = read([...write(call), done]).find(({ type }) => type === 'tool_call')
    expect(received?.delta).toBe(input)
  })

  test('have no path or content that did not arrive before the call was interrupted', () => {
    for (const input of ['{', '{"path":"/a"']) {
      const frames = write(part('tool_call', input, { id: 'c1', name: 'write_file' }))
      expect(read(frames).find(({ type }) => type === 'tool_call')?.delta).toBe(input)
    }
  })
})
