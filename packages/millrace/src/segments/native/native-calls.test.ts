import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import { joinSegments, type JoinedSegment } from '../../../test/support/segments/join-segments.ts'
import { runs } from '../../../test/support/runs.ts'
import { defaultProjections } from '../calls/projection.ts'
import { defaultLimits, type SegmentLimits } from '../limits.ts'
import { SegmentEmitter } from '../segment-emitter.ts'
import { NativeCallReader, type NativeCallDelta, type NativeDelta } from '../native-calls.ts'

function read(deltas: readonly NativeDelta[], limits: Partial<SegmentLimits> = {}) {
  const emitter = new SegmentEmitter((number) => `seg_${number}`)
  const ignored: string[] = []
  const reader = new NativeCallReader({
    emitter,
    projections: defaultProjections,
    limits: { ...defaultLimits, ...limits },
    onIgnored: (text) => void ignored.push(text),
  })
  for (const delta of deltas) reader.feed(delta)
  const live = emitter.take()
  reader.finalize()
  reader.finalize()
  const events = [...live, ...emitter.take()]
  const order = events
    .filter(({ type }) => type !== 'SEGMENT_CONTENT')
    .map((event) => `${event.type === 'SEGMENT_END' ? '/' : ''}${event.segment_id}`)
  return { segments: joinSegments(events), order, ignored, live }
}

function call(delta: NativeCallDelta): NativeDelta {
  return { tool_calls: [delta] }
}

/** Creates the first delta of a call as providers send it, and the deltas of its arguments. */
function calls(name: string, callId: string, ...pieces: string[]): NativeDelta[] {
  const [first = '', ...rest] = pieces
  return [
    call({ index: 0, call_id: callId, name, arguments_delta: first }),
    ...rest.map((piece) => call({ index: 0, arguments_delta: piece })),
  ]
}

function contents(segments: readonly JoinedSegment[]): string[] {
  return segments.map(({ type, content }) => `${type} ${content}`)
}

describe('a native call', () => {
  test('has the provider’s id, its name, and its arguments as they arrive', () => {
    expect(read(calls('f', 'c1', '', '{"a"', ':1}')).segments).toEqual([
      { id: 'c1', type: 'tool_call', metadata: { tool_name: 'f' }, content: '{"a":1}', end: {} },
    ])
  })

  test('of a projected tool streams its content', () => {
    const deltas = calls(
      'write_file',
      'c1',
      '{"path":"/a","content":"caf\\u00',
      'e9 \\ud83d',
      '\\ude00"}',
    )
    expect(read(deltas).segments).toEqual([
      {
        id: 'c1',
        type: 'write_file',
        metadata: { tool_name: 'write_file', path: '/a' },
        content: 'café 😀',
        end: {},
      },
    ])
    expect(
      read(calls('run_bash', 'c1', '{"command":"ls","background":true}')).segments,
    ).toMatchObject([{ type: 'run_bash', content: 'ls', end: { metadata: { background: true } } }])
  })

  test('without arguments is complete', () => {
    for (const text of [undefined, null, '', ' \n']) {
      const delta = {
        call_id: 'c1',
        name: 'ping',
        ...(text !== undefined && { arguments_delta: text }),
      }
      expect(read([call(delta)]).segments).toMatchObject([{ content: text ?? '', end: {} }])
    }
  })

  test('whose arguments are not a complete JSON value ends incomplete', () => {
    for (const text of ['{"a":1', '{"a":"x\\', '{"a":nope}', '{"a":1} more', 'x', '[']) {
      const [segment] = read(calls('f', 'c1', text)).segments
      expect(segment).toMatchObject({ content: text, end: { complete: false } })
    }
    for (const text of ['{}', '[1]', '"x"', '12', 'null', '{"a":1}\n']) {
      expect(read(calls('f', 'c1', text)).segments[0]?.end).toEqual({})
    }
  })

  test('waits for a late name', () => {
    const deltas = [
      call({ index: 0, call_id: 'c1', arguments_delta: '{"path":' }),
      call({ index: 0, name: 'write_file', arguments_delta: '"/a","content":"x"}' }),
    ]
    expect(read(deltas).segments).toMatchObject([
      { id: 'c1', type: 'write_file', metadata: { path: '/a' }, content: 'x', end: {} },
    ])
  })

  test('starts without a name that is too late, and reports it at the end', () => {
    const deltas = [
      call({ arguments_delta: '{"a":"12345"' }),
      call({ call_id: 'c1', name: 'f', arguments_delta: '}' }),
    ]
    expect(read(deltas, { maxHeld: 8 }).segments).toEqual([
      {
        id: 'seg_1',
        type: 'tool_call',
        metadata: {},
        content: '{"a":"12345"}',
        end: { metadata: { call_id: 'c1', tool_name: 'f' } },
      },
    ])
  })

  test('without a name is malformed', () => {
    expect(read([call({ call_id: 'c1', arguments_delta: '{}' })]).segments).toEqual([
      { id: 'c1', type: 'tool_call', metadata: {}, content: '{}', end: { malformed: true } },
    ])
    expect(
      read([call({ call_id: 'c1', name: '', arguments_delta: '{' })]).segments[0]?.end,
    ).toEqual({
      malformed: true,
      complete: false,
    })
  })

  test('keeps its first name, and ignores empty deltas', () => {
    const deltas = [
      call({ index: 0, call_id: 'c1', name: 'f', arguments_delta: '{' }),
      call({ index: 0, call_id: 'c1', name: 'oo' }),
      call({ index: 0, call_id: null, name: null, arguments_delta: null }),
      { content: '', reasoning: null, tool_calls: null },
      { content: null, tool_calls: [] },
      call({ index: 1 }),
      call({ index: 0, arguments_delta: '}' }),
    ]
    expect(read(deltas).order).toEqual(['c1', '/c1'])
    expect(read(deltas).segments).toMatchObject([{ metadata: { tool_name: 'f' }, content: '{}' }])
  })
})

describe('the order', () => {
  test('of text and calls is kept: each run of text is a segment', () => {
    const deltas = [
      { reasoning: 'hm', content: 'one' },
      ...calls('f', 'c1', '{}'),
      { content: 't' },
      { content: 'wo' },
      { reasoning: 'then' },
      ...calls('g', 'c2', '{}'),
      { content: 'three' },
    ]
    const { segments, order } = read(deltas)
    expect(contents(segments)).toEqual([
      'reasoning hm',
      'text one',
      'tool_call {}',
      'text two',
      'reasoning then',
      'tool_call {}',
      'text three',
    ])
    expect(order.join(' ')).toBe(
      'seg_1 /seg_1 seg_2 /seg_2 c1 /c1 seg_4 /seg_4 seg_5 /seg_5 c2 /c2 seg_7 /seg_7',
    )
  })

  test('ends a complete call when other content follows', () => {
    expect(read(calls('f', 'c1', '{}')).live.at(-1)?.type).toBe('SEGMENT_CONTENT')
    const { live } = read([...calls('f', 'c1', '{}'), { content: 'x' }])
    expect(live.map(({ type, segment_id: id }) => `${type} ${id}`).slice(2)).toEqual([
      'SEGMENT_END c1',
      'SEGMENT_START seg_2',
      'SEGMENT_CONTENT seg_2',
    ])
  })

  test('of interleaved calls is that of their starts', () => {
    const deltas: NativeDelta[] = [
      {
        tool_calls: [
          { index: 0, call_id: 'c1', name: 'f', arguments_delta: '' },
          { index: 1, call_id: 'c2', name: 'g', arguments_delta: '' },
        ],
      },
      call({ index: 1, arguments_delta: '{"b"' }),
      call({ index: 0, arguments_delta: '{"a"' }),
      call({ index: 1, arguments_delta: ':2}' }),
      call({ index: 0, arguments_delta: ':1}' }),
    ]
    const { segments, order } = read(deltas)
    expect(contents(segments)).toEqual(['tool_call {"a":1}', 'tool_call {"b":2}'])
    expect(order).toEqual(['c1', 'c2', '/c2', '/c1'])
  })

  test('has text before a call whose start had to wait', () => {
    const deltas = [
      { content: 'a' },
      ...calls('write_file', 'c1', '{"content":"x",'),
      { content: 'b' },
      call({ index: 0, arguments_delta: '"path":"/p"}' }),
      { content: 'c' },
    ]
    const { segments, order } = read(deltas)
    expect(contents(segments)).toEqual(['text a', 'text b', 'write_file x', 'text c'])
    expect(order.join(' ')).toBe('seg_1 /seg_1 seg_2 /seg_2 c1 /c1 seg_4 /seg_4')
  })
})

describe('the call of a delta', () => {
  test('is a new one if it has another id', () => {
    const { segments } = read([...calls('f', 'c1', '{"a":1}'), ...calls('g', 'c2', '{"b":2}')])
    expect(segments).toMatchObject([
      { id: 'c1', metadata: { tool_name: 'f' }, content: '{"a":1}', end: {} },
      { id: 'c2', metadata: { tool_name: 'g' }, content: '{"b":2}', end: {} },
    ])
  })

  test('is a new one if a complete call is followed by a name and arguments', () => {
    const piece = (name: string, text: string) => call({ index: 0, name, arguments_delta: text })
    const { segments } = read([
      piece('f', '{"a":1}'),
      piece('f', ''),
      piece('f', '{"a":2}'),
      piece('g', ''),
      call({ arguments_delta: '{}' }),
    ])
    expect(segments.map(({ metadata, content }) => [metadata['tool_name'], content])).toEqual([
      ['f', '{"a":1}'],
      ['f', '{"a":2}'],
      ['g', '{}'],
    ])
  })

  test('ends the previous call as far as it was read', () => {
    const { order, segments } = read([
      ...calls('f', 'c1', '{"a"'),
      ...calls('g', 'c2'),
      { content: 'x' },
    ])
    expect(order.slice(0, 3)).toEqual(['c1', '/c1', 'c2'])
    expect(segments[0]?.end).toEqual({ complete: false })
  })

  test('is the same one if an id arrives late', () => {
    const deltas = [
      call({ arguments_delta: '{' }),
      call({ call_id: 'c1' }),
      call({ name: 'f', arguments_delta: '}' }),
    ]
    expect(read(deltas).segments).toMatchObject([{ id: 'c1', content: '{}', end: {} }])
  })

  test('has a generated id if the provider’s is missing or was used', () => {
    const { segments } = read([
      call({ index: 0, call_id: 'c', name: 'f', arguments_delta: '{}' }),
      call({ index: 1, call_id: 'c', name: 'g', arguments_delta: '{}' }),
      call({ index: 2, call_id: '', name: 'h', arguments_delta: '{}' }),
    ])
    expect(segments.map(({ id, metadata }) => [id, metadata])).toEqual([
      ['c', { tool_name: 'f' }],
      ['seg_2', { tool_name: 'g', call_id: 'c' }],
      ['seg_3', { tool_name: 'h' }],
    ])
  })

  test('is none if its call has ended', () => {
    const { segments, ignored } = read([
      ...calls('f', 'c1', '{}'),
      { content: 'x' },
      call({ index: 0, arguments_delta: '{"late":1}' }),
    ])
    expect(ignored).toEqual(['{"late":1}'])
    expect(contents(segments)).toEqual(['tool_call {}', 'text x'])
  })

  test('is none past the maximum number of calls', () => {
    const { segments, ignored } = read(
      [
        ...calls('f', 'c1', '{}'),
        ...calls('g', 'c2', '{"a"', ':1}'),
        { content: 'x' },
        call({ index: 7, arguments_delta: '[]' }),
      ],
      { maxCalls: 1 },
    )
    expect(contents(segments)).toEqual(['tool_call {}', 'text x'])
    expect(ignored).toEqual(['{"a"', ':1}', '[]'])
  })
})

interface Scripted {
  readonly text: string
  readonly kind: 'text' | 'reasoning' | 'f' | 'write_file'
}

const anyScript = fc.array(
  fc.record({
    kind: fc.constantFrom('text', 'reasoning', 'f', 'write_file'),
    text: fc.string({ unit: 'binary', minLength: 1 }),
    isCut: fc.boolean(),
  }),
  { maxLength: 6 },
)

/** Returns the deltas of the parts one after another, each with its text split. */
function toDeltas(script: readonly Scripted[], cut: (text: string) => string[]): NativeDelta[] {
  return script.flatMap(({ kind, text }, index) => {
    if (kind === 'text') return cut(text).map((content) => ({ content }))
    if (kind === 'reasoning') return cut(text).map((reasoning) => ({ reasoning }))
    const first = call({ index, call_id: `c${index}`, name: kind })
    return [first, ...cut(text).map((piece) => call({ index, arguments_delta: piece }))]
  })
}

describe('any deltas', () => {
  const script = anyScript.map((parts) =>
    parts.map(({ kind, text, isCut }): Scripted => {
      if (kind === 'text' || kind === 'reasoning') return { kind, text }
      const json = JSON.stringify({ path: '/a', content: text, deep: { path: [text] } })
      return { kind, text: isCut ? json.slice(0, -1 - (text.length % 20)) : json }
    }),
  )

  test('give the same events for every split', () => {
    fc.assert(
      fc.property(script, cutList, (parts, cuts) => {
        const whole = read(toDeltas(parts, (text) => [text]))
        const single = read(toDeltas(parts, (text) => text.split('')))
        const cut = read(toDeltas(parts, (text) => cutAt(text, cuts)))
        for (const other of [single, cut]) {
          expect(other.segments).toEqual(whole.segments)
          expect(other.order).toEqual(whole.order)
        }
      }),
      { numRuns: runs(300, 30_000) },
    )
  })

  test('never split a surrogate pair', () => {
    const pairs = '😀😀'
    const json = JSON.stringify({ path: pairs, content: pairs })
    const parts = (['text', 'f', 'write_file'] as const).map((kind) => ({
      kind,
      text: kind === 'text' ? pairs : json,
    }))
    for (const event of read(toDeltas(parts, (text) => text.split(''))).live) {
      if (event.type !== 'SEGMENT_CONTENT') continue
      expect(event.payload.delta).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/)
    }
    expect(contents(read([{ content: 'a\ud83d' }, { reasoning: '\ud83d' }]).segments)).toEqual([
      'text a\ud83d',
      'reasoning \ud83d',
    ])
  })

  test('may stop anywhere, and every segment has its end', () => {
    fc.assert(
      fc.property(script, fc.nat(), (parts, place) => {
        const deltas = toDeltas(parts, (text) => text.split(''))
        const { segments } = read(deltas.slice(0, place % (deltas.length + 1)))
        for (const segment of segments) expect(segment.end).toBeDefined()
      }),
      { numRuns: runs(300, 30_000) },
    )
  })

  test('interleaved by index give the same calls as in sequence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        fc.array(fc.nat()),
        (values, order) => {
          const texts = values.map((value) => JSON.stringify({ value }).split(''))
          const deltas = values.map((_, index) => call({ index, call_id: `c${index}`, name: 'f' }))
          for (const pick of [...order, ...texts.flatMap((text, index) => text.map(() => index))]) {
            const index = texts.length === 0 ? 0 : pick % texts.length
            const unit = texts[index]?.shift()
            if (unit !== undefined) deltas.push(call({ index, arguments_delta: unit }))
          }
          expect(read(deltas).segments.map(({ content }) => JSON.parse(content))).toEqual(
            values.map((value) => JSON.parse(JSON.stringify({ value }))),
          )
        },
      ),
      { numRuns: runs(200, 20_000) },
    )
  })
})
