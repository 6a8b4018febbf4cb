import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json/index.ts'
import type { Projections } from '../calls/projection.ts'
import { defaultProjections } from '../calls/projection.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from '../segment-event.ts'
import {
  type InvocationOptions,
  createInvocationReader,
  toToolInvocations,
} from './invocation-reader.ts'

interface Segment {
  readonly id?: string
  readonly type: SegmentType
  readonly metadata?: JsonObject
  readonly deltas?: readonly string[]
  readonly end?: SegmentEndPayload
}

function toEvents(segment: Segment): SegmentEvent[] {
  const { id = 'seg_1', type, metadata = {}, deltas = [], end = {} } = segment
  return [
    { type: 'SEGMENT_START', segment_id: id, segment_type: type, payload: { metadata } },
    ...deltas.map((delta): SegmentEvent => ({
      type: 'SEGMENT_CONTENT',
      segment_id: id,
      payload: { delta },
    })),
    { type: 'SEGMENT_END', segment_id: id, payload: end },
  ]
}

function read(segment: Segment, options: InvocationOptions = {}) {
  return toToolInvocations(toEvents(segment), options)
}

function readBody(body: string, options: InvocationOptions = {}) {
  return read({ type: 'tool_call', metadata: { tool_name: 't' }, deltas: [body] }, options)
}

const cut: SegmentEndPayload = { complete: false }

describe('projected calls', () => {
  test('a file needs a path, its content may be empty', () => {
    const metadata = { path: '/a' }
    expect(read({ type: 'write_file', metadata, end: { empty: true } })).toEqual([
      { id: 'seg_1', name: 'write_file', arguments: { path: '/a', content: '' } },
    ])
    expect(read({ type: 'write_file', metadata })).toEqual([
      { id: 'seg_1', name: 'write_file', arguments: { path: '/a' } },
    ])
    expect(read({ type: 'write_file', deltas: ['x'] })).toEqual([])
    expect(read({ type: 'patch_file', metadata: { path: '' }, deltas: ['x'] })).toEqual([])
    expect(read({ type: 'patch_file', metadata: { path: 5 }, deltas: ['x'] })).toEqual([])
  })

  test('a late path is at the end', () => {
    const end = { metadata: { path: '/late', mode: 'w' } }
    expect(read({ type: 'patch_file', deltas: ['a', 'b'], end })).toEqual([
      { id: 'seg_1', name: 'patch_file', arguments: { path: '/late', patch: 'ab', mode: 'w' } },
    ])
  })

  test('other metadata becomes arguments, the end takes precedence, metadata about the call is omitted', () => {
    const metadata = { tool_name: 'Run_Bash', call_id: 'c1', background: false, cwd: '/' }
    const end = { metadata: { background: true } }
    expect(read({ type: 'run_bash', metadata, deltas: ['ls'], end })).toEqual([
      {
        id: 'seg_1',
        name: 'run_bash',
        arguments: { command: 'ls', background: true, cwd: '/' },
      },
    ])
  })

  test('a command is the content, otherwise the metadata', () => {
    expect(read({ type: 'run_bash' })).toEqual([])
    const metadata = { command: 'ls' }
    expect(read({ type: 'run_bash', metadata })[0]?.arguments).toEqual({ command: 'ls' })
    const shown = read({ type: 'run_bash', metadata, deltas: ['pwd'] })
    expect(shown[0]?.arguments).toEqual({ command: 'pwd' })
  })

  const projections: Projections = {
    save: { segment: 'write_file', path: 'file_path', content: 'text' },
    ...defaultProjections,
    think: { segment: 'reasoning', content: 'thought' },
  }

  test('the tool is the one in the metadata, otherwise the one of the type', () => {
    const segment = { type: 'write_file', deltas: ['x'] } as const
    expect(
      read({ ...segment, metadata: { tool_name: 'Save', path: 'a' } }, { projections }),
    ).toEqual([{ id: 'seg_1', name: 'save', arguments: { file_path: 'a', text: 'x' } }])
    const file = { path: 'a', content: 'x' }
    expect(read({ ...segment, metadata: { path: 'a' } }, { projections })).toEqual([
      { id: 'seg_1', name: 'write_file', arguments: file },
    ])
    expect(
      read({ ...segment, metadata: { tool_name: 'other', path: 'a' } }, { projections }),
    ).toEqual([{ id: 'seg_1', name: 'other', arguments: file }])
  })

  test('metadata cannot make a file a command', () => {
    const metadata = { tool_name: 'run_bash', path: 'a' }
    expect(read({ type: 'write_file', metadata, deltas: ['rm -rf /'] })[0]?.name).toBe('write_file')
    expect(read({ type: 'reasoning', metadata, deltas: ['rm -rf /'] })).toEqual([])
  })

  test('text and reasoning are not calls, unless a tool is projected to them', () => {
    expect(read({ type: 'text', deltas: ['{"name":"f","arguments":{}}'] })).toEqual([])
    expect(read({ type: 'reasoning', deltas: ['hm'] }, { projections })).toEqual([])
    const metadata = { tool_name: 'think' }
    expect(read({ type: 'reasoning', metadata, deltas: ['hm'] }, { projections })).toEqual([
      { id: 'seg_1', name: 'think', arguments: { thought: 'hm' } },
    ])
  })
})

describe('tool calls', () => {
  test('arguments come from the start, then from the end, then from the body', () => {
    const start = { tool_name: 't', arguments: { from: 'start' } }
    const end = { metadata: { arguments: { from: 'end' } } }
    const deltas = ['{"from": "body"}']
    const values = (segment: Omit<Segment, 'type'>) =>
      read({ type: 'tool_call', deltas, ...segment })[0]?.arguments
    expect(values({ metadata: start, end })).toEqual({ from: 'start' })
    expect(values({ metadata: { tool_name: 't' }, end })).toEqual({ from: 'end' })
    expect(values({ metadata: { tool_name: 't', arguments: 5 } })).toEqual({ from: 'body' })
    expect(values({ metadata: { tool_name: 't', arguments: '{"a": 1}' } })).toEqual({ a: 1 })
  })

  test.each<[string, JsonObject]>([
    ['', {}],
    [' \n ', {}],
    ['{"a": {"b": [1, null]}}', { a: { b: [1, null] } }],
    ['\n {"a": 1}\n', { a: 1 }],
    ['"{\\"a\\": 1}"', { a: 1 }],
    ['[]', {}],
    ['null', {}],
    ['hello', {}],
    ['<a>1</a>', { a: '1' }],
    ['"see" <a>1</a>', { a: '1' }],
    ['<arguments>{"a": 1}</arguments>', { a: 1 }],
  ])('a body %j gives %j', (body, values) => {
    expect(readBody(body)).toEqual([{ id: 'seg_1', name: 't', arguments: values }])
  })

  test.each([
    '{"a": nope}',
    '{"a": 1',
    '{"a": 1} tail',
    '[1',
    '"{\\"a\\": nope}"',
    '<arguments>{a}</arguments>',
  ])('a body %j is invalid JSON and not a call', (body) => {
    expect(readBody(body)).toEqual([])
    expect(readBody(body, { incomplete: 'include' })).toEqual([])
  })

  test('several calls in one body get their own ids; one with invalid arguments leaves a gap', () => {
    const body = JSON.stringify({
      tool_calls: [
        { id: 'x', function: { name: 'a', arguments: '{"i": 0}' } },
        { function: { name: 'b', arguments: 'none' } },
        { function: { name: 'c' } },
      ],
    })
    expect(read({ id: 'seg_4', type: 'tool_call', deltas: [body] })).toEqual([
      { id: 'seg_4', name: 'a', arguments: { i: 0 } },
      { id: 'seg_4:2', name: 'c', arguments: {} },
    ])
    expect(readBody('[{"name": "f", "args": {"a": 1}}]')[0]?.name).toBe('f')
  })

  test('reads no more calls than the limit', () => {
    const body = JSON.stringify(Array.from({ length: 9 }, () => ({ name: 'f', args: {} })))
    expect(read({ type: 'tool_call', deltas: [body] }, { limits: { maxCalls: 3 } })).toHaveLength(3)
  })

  test('a segment without a name is not a call', () => {
    expect(read({ type: 'tool_call', deltas: ['<a>1</a>'] })).toEqual([])
    expect(read({ type: 'tool_call', deltas: ['{"a": 1}'] })).toEqual([])
    expect(read({ type: 'tool_call', metadata: { tool_name: '' } })).toEqual([])
  })

  test('with known tools, text gets its type and JSON keeps its own', () => {
    const tools = { t: { q: 'string', n: 'integer', o: 'object', f: 'boolean' } } as const
    const xml =
      '<arguments><arg name="q">42</arg><arg name="n">3</arg><arg name="o">{"a":[1]}</arg><arg name="f">true</arg></arguments>'
    expect(readBody(xml, { tools })[0]?.arguments).toEqual({
      q: '42',
      n: 3,
      o: { a: [1] },
      f: true,
    })
    expect(readBody('{"n": "3"}', { tools })[0]?.arguments).toEqual({ n: '3' })
  })

  test('JSON that nests too deeply is not a call', () => {
    const deep = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`
    expect(readBody(deep(100))).toHaveLength(1)
    expect(readBody(deep(100_000))).toEqual([])
    expect(readBody(deep(9), { limits: { maxDepth: 8 } })).toEqual([])
  })

  test('never changes a prototype', () => {
    for (const body of [
      '{"__proto__": {"admin": true}}',
      '<__proto__><admin>1</admin></__proto__>',
    ]) {
      const values = readBody(body, { tools: { t: { admin: 'integer' } } })[0]?.arguments ?? {}
      expect(Object.keys(values)).toEqual(['__proto__'])
      expect(values['admin']).toBeUndefined()
    }
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const metadata = { tool_name: name }
      expect(read({ type: 'tool_call', metadata, deltas: ['<a>1</a>'] })).toEqual([
        { id: 'seg_1', name, arguments: { a: '1' } },
      ])
    }
    const end = { metadata: JSON.parse('{"__proto__": {"path": "/etc"}}') as JsonObject }
    expect(read({ type: 'write_file', deltas: ['x'], end })).toEqual([])
  })
})

describe('segments that were cut or malformed', () => {
  const segments: readonly Segment[] = [
    { type: 'run_bash', deltas: ['rm -rf /tmp'] },
    { type: 'write_file', metadata: { path: 'a' }, deltas: ['half'] },
    { type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['{"city":"Os'] },
    { type: 'tool_call', metadata: { tool_name: 't', arguments: { a: 1 } } },
    { type: 'tool_call', deltas: ['{"name":"t","arguments":{"city":"Os'] },
  ]

  test.each(segments)('give no invocation: %j', (segment) => {
    expect(read({ ...segment, end: cut })).toEqual([])
    expect(read({ ...segment, end: { malformed: true } })).toEqual([])
  })

  test.each<[Segment, string, JsonObject]>([
    [{ type: 'run_bash', deltas: ['rm'] }, 'run_bash', { command: 'rm' }],
    [{ type: 'write_file', deltas: ['half'] }, 'write_file', { content: 'half' }],
    [
      { type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['{"city":"Os'] },
      't',
      { city: 'Os' },
    ],
    [
      { type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['{"a":1,"b":nope'] },
      't',
      { a: 1 },
    ],
    [
      { type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['"{\\"city\\":\\"Os'] },
      't',
      { city: 'Os' },
    ],
    [
      { type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['<xs><item>a</item><item>b'] },
      't',
      { xs: ['a', 'b'] },
    ],
    [{ type: 'tool_call', metadata: { tool_name: 't' } }, 't', {}],
    [
      { type: 'tool_call', deltas: ['[{"name":"t","arguments":"{\\"city\\":\\"Os'] },
      't',
      { city: 'Os' },
    ],
  ])('are returned as far as they were read, on request: %j', (segment, name, values) => {
    for (const end of [cut, { malformed: true } as const]) {
      expect(read({ ...segment, end }, { incomplete: 'include' })).toEqual([
        { id: 'seg_1', name, arguments: values, complete: false },
      ])
    }
  })

  test('a repaired call is invoked, and marked as repaired', () => {
    const segment = { type: 'tool_call', metadata: { tool_name: 't' } } as const
    const end = { repaired: true } as const
    expect(read({ ...segment, deltas: ['{"a":1', '}'], end })).toEqual([
      { id: 'seg_1', name: 't', arguments: { a: 1 }, repaired: true },
    ])
    expect(read({ ...segment, deltas: ['{"a":1'], end })).toEqual([])
  })
})

describe('the reader', () => {
  const segments: readonly Segment[] = [
    { id: 'a', type: 'text', deltas: ['x', 'y'] },
    { id: 'b', type: 'tool_call', metadata: { tool_name: 't' }, deltas: ['{"a', '": 1', '}'] },
    { id: 'c', type: 'write_file', metadata: { path: 'p' }, deltas: ['1', '2'] },
    { id: 'd', type: 'tool_call', metadata: { tool_name: 'u' }, deltas: ['<q>', 'a', '</q>'] },
    { id: 'e', type: 'tool_call', deltas: ['{"name":"f"', ',"args":{}}'] },
  ]
  const expected = toToolInvocations(segments.flatMap(toEvents))

  test('segments may interleave', () => {
    expect(expected.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e'])
    const anyOrder = fc.array(fc.nat({ max: segments.length - 1 }), { maxLength: 30 })
    fc.assert(
      fc.property(anyOrder, (order) => {
        const queues = segments.map(toEvents)
        const events = order.flatMap((turn) => queues[turn]?.shift() ?? [])
        const invocations = toToolInvocations([...events, ...queues.flat()])
        const byId = [...invocations].sort((one, other) => (one.id < other.id ? -1 : 1))
        expect(byId).toEqual(expected)
      }),
    )
  })

  test('returns an invocation once, at the end of its segment', () => {
    const reader = createInvocationReader()
    const events = segments.flatMap(toEvents)
    const received = events.map((event) => reader.feed(event).length)
    events.forEach(({ type }, index) => {
      if (type !== 'SEGMENT_END') expect(received[index]).toBe(0)
    })
    const ends = events.filter(({ type }) => type === 'SEGMENT_END')
    expect(ends.flatMap((event) => reader.feed(event))).toEqual([])
  })

  test('ignores content and ends of unknown segments', () => {
    const events = toEvents({ type: 'run_bash', deltas: ['ls'] }).slice(1)
    expect(toToolInvocations(events)).toEqual([])
  })

  const anyBody = fc.oneof(
    fc.json(),
    fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', '1', '<a>', '</a>', ' '),
    }),
  )
  const anyEnd = fc.constantFrom<SegmentEndPayload>(
    {},
    cut,
    { malformed: true },
    { repaired: true },
  )
  const anyType = fc.constantFrom<SegmentType>('tool_call', 'write_file', 'run_bash', 'text')
  const anyMetadata = fc.constantFrom<JsonObject>({}, { tool_name: 't' }, { path: 'p' })
  const anyIncomplete = fc.constantFrom<'skip' | 'include'>('skip', 'include')

  test('never throws, and gives the same result for every split', () => {
    fc.assert(
      fc.property(
        fc.record({ type: anyType, metadata: anyMetadata, end: anyEnd }),
        anyBody,
        fc.nat({ max: 40 }),
        anyIncomplete,
        (segment, body, at, incomplete) => {
          const whole = read({ ...segment, deltas: [body] }, { incomplete })
          const deltas = [body.slice(0, at), body.slice(at)].filter((delta) => delta !== '')
          expect(read({ ...segment, deltas }, { incomplete })).toEqual(whole)
          expect(read({ ...segment, deltas: Array.from(body) }, { incomplete })).toEqual(whole)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('a JSON body has the value of JSON.parse', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (values) => {
        const body = JSON.stringify(values)
        expect(readBody(body)[0]?.arguments).toEqual(JSON.parse(body))
      }),
    )
  })
})
