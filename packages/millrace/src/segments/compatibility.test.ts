import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutAt, cutList } from '../../test/support/cut-text.ts'
import { joinSegments } from '../../test/support/segments/join-segments.ts'
import type { JsonObject } from '../json/index.ts'
import { seedJson } from './formats/json/seed-json.ts'
import { seedXml } from './formats/tags/seed-xml.ts'
import type { ToolInvocation } from './invocations/invocation-reader.ts'
import { createSegmentParser, type SegmentParserOptions } from './parser.ts'
import { createStreamingResponseHandler } from './response-handler.ts'
import { type SegmentEvent, segmentTypes } from './segment-event.ts'

const seed = { compatibility: 'seed-004', environment: {} } as const

/** Returns the segments that a handler shows, and the calls that it makes, in the design's terms. */
function read(text: string, options: SegmentParserOptions = {}, cuts: readonly number[] = []) {
  const calls: ToolInvocation[] = []
  const handler = createStreamingResponseHandler({
    ...seed,
    ...options,
    onInvocation: (call) => calls.push(call),
  })
  const events = cutAt(text, cuts).flatMap((piece) => handler.feed({ content: piece }))
  events.push(...handler.finalize())
  const segments = joinSegments(events).map(
    ({ type, metadata, content, end }) => [type, metadata, content, end] as const,
  )
  return {
    events,
    segments,
    calls: calls.map(({ id, name, arguments: values }) => [id, name, values]),
  }
}

interface Case {
  readonly state: string
  readonly text: string
  readonly options?: SegmentParserOptions
  readonly segments: readonly (readonly [type: string, metadata: JsonObject, content: string])[]
  readonly calls: readonly (readonly [id: string, name: string, values: JsonObject])[]
}

const blob = '{"tool": {"function": "write_file", "parameters": {"path": "/a", "content": "x"}}}'
const args = '<arguments><arg name="q">a &lt; b</arg></arguments>'
const file = '<arg name="path">/a</arg><arg name="content">x\n</arg>'

/** A row for each state of the tables “Segment Type Semantics” and “State → Emitted Segment Events”. */
const states: readonly Case[] = [
  { state: 'TextState', text: 'a < b', segments: [['text', {}, 'a < b']], calls: [] },
  {
    state: 'XmlToolParsingState',
    text: `<tool name="Search">${args}</tool>`,
    segments: [['tool_call', { tool_name: 'Search' }, args]],
    calls: [['seg_1', 'Search', { q: 'a < b' }]],
  },
  {
    state: 'JsonToolParsingState',
    text: blob,
    options: { strategy: 'json' },
    segments: [['tool_call', {}, blob]],
    calls: [['seg_1', 'write_file', { path: '/a', content: 'x' }]],
  },
  {
    state: 'XmlWriteFileToolParsingState',
    text: `<tool name="write_file"><arguments>${file}<arg name="mode">w</arg></arguments></tool>`,
    segments: [['write_file', { path: '/a' }, 'x\n']],
    calls: [['seg_1', 'write_file', { path: '/a', content: 'x\n', mode: 'w' }]],
  },
  {
    state: 'XmlWriteFileToolParsingState with markers',
    text: '<tool name="write_file"><arguments><arg name="path">/a</arg><arg name="content">\n__START_CONTENT__\n</arg></arguments></tool>\n__END_CONTENT__\n</arg></arguments></tool>',
    segments: [['write_file', { path: '/a' }, '</arg></arguments></tool>\n']],
    calls: [['seg_1', 'write_file', { path: '/a', content: '</arg></arguments></tool>\n' }]],
  },
  {
    state: 'XmlPatchFileToolParsingState',
    text: '<tool name="patch_file"><arguments><arg name="path">/a</arg><arg name="patch">-a\n+b</arg></arguments></tool>',
    segments: [['patch_file', { path: '/a' }, '-a\n+b']],
    calls: [['seg_1', 'patch_file', { path: '/a', patch: '-a\n+b' }]],
  },
  {
    state: 'XmlRunBashToolParsingState',
    text: '<tool name="run_bash"><arguments><arg name="command">ls</arg></arguments></tool>',
    segments: [['run_bash', {}, 'ls']],
    calls: [['seg_1', 'run_bash', { command: 'ls' }]],
  },
  {
    state: 'CustomXmlTagWriteFileParsingState',
    text: "<write_file path='/a'>x</write_file>",
    segments: [['write_file', { path: '/a' }, 'x']],
    calls: [['seg_1', 'write_file', { path: '/a', content: 'x' }]],
  },
  {
    state: 'CustomXmlTagRunBashParsingState',
    text: '<run_bash background="true">ls</run_bash>',
    segments: [['run_bash', {}, 'ls']],
    calls: [['seg_1', 'run_bash', { command: 'ls', background: true }]],
  },
  {
    state: 'SentinelContentState',
    text: '[[SEG_START {"type":"write_file","path":"/a.py","mode":1}]]x\n[[SEG_END]]',
    options: { strategy: 'sentinel' },
    segments: [['write_file', { path: '/a.py', mode: 1 }, 'x\n']],
    calls: [['seg_1', 'write_file', { path: '/a.py', content: 'x\n', mode: 1 }]],
  },
  ...segmentTypes.map((type) => ({
    state: `SentinelContentState with the type ${type}`,
    text: `[[SEG_START {"type":"${type}","note":"n"}]]c[[SEG_END]]`,
    options: { strategy: 'sentinel' } as const,
    segments: [[type, { note: 'n' }, 'c']] as const,
    calls:
      type === 'run_bash' ? ([['seg_1', 'run_bash', { command: 'c', note: 'n' }]] as const) : [],
  })),
]

describe('the states of the streaming parser design', () => {
  test.each(states)('$state', ({ text, options = {}, segments, calls }) => {
    fc.assert(
      fc.property(cutList, (cuts) => {
        const found = read(text, options, cuts)
        expect(found.segments).toEqual(segments.map((segment) => [...segment, {}]))
        expect(found.calls).toEqual(calls)
      }),
      { numRuns: 20 },
    )
  })

  test('reasoning is a segment without metadata', () => {
    const handler = createStreamingResponseHandler(seed)
    const events = [...handler.feed({ reasoning: 'Hm.', content: 'a' }), ...handler.finalize()]
    expect(joinSegments(events)).toMatchObject([
      { type: 'reasoning', metadata: {}, content: 'Hm.', end: {} },
      { type: 'text', metadata: {}, content: 'a', end: {} },
    ])
  })
})

describe('the payloads of the streaming parser design', () => {
  test('the first example, with a handler without options', () => {
    const handler = createStreamingResponseHandler(seed)
    const first = handler.feed({ content: "Hello <write_file path='/a.py'>" })
    const second = handler.feed({ content: "print('hi')</write_file>" })
    expect([...first, ...second, ...handler.finalize()]).toEqual([
      {
        type: 'SEGMENT_START',
        segment_id: 'seg_1',
        segment_type: 'text',
        payload: { metadata: {} },
      },
      { type: 'SEGMENT_CONTENT', segment_id: 'seg_1', payload: { delta: 'Hello ' } },
      { type: 'SEGMENT_END', segment_id: 'seg_1', payload: {} },
      {
        type: 'SEGMENT_START',
        segment_id: 'seg_2',
        segment_type: 'write_file',
        payload: { metadata: { path: '/a.py' } },
      },
      { type: 'SEGMENT_CONTENT', segment_id: 'seg_2', payload: { delta: "print('hi')" } },
      { type: 'SEGMENT_END', segment_id: 'seg_2', payload: {} },
    ] satisfies SegmentEvent[])
  })

  test('no end has a payload, in a parser, in a handler and for its listener', () => {
    const texts = [
      '<tool name="write_file"><path>/a</path></tool>',
      '<write_file path="/a"></write_file>',
      '<run_bash>cut',
      '<tool name="write_file"><content>x</content><path>/a</path><mode>w</mode></tool>',
    ]
    for (const text of texts) {
      const parser = createSegmentParser(seed)
      const received: SegmentEvent[] = []
      const handler = createStreamingResponseHandler({
        ...seed,
        onSegment: (one) => received.push(one),
      })
      const lists = [parser, handler].map((one) => [...one.feed(text), ...one.finalize()])
      for (const events of [...lists, received]) {
        const ends = events.filter(({ type }) => type === 'SEGMENT_END')
        expect(ends.map(({ payload }) => payload)).toEqual([{}])
      }
    }
  })

  test('a start waits for the path, and a closing tag does not delay it', () => {
    const handler = createStreamingResponseHandler(seed)
    expect(handler.feed('<tool name="write_file"><arguments><arg name="path">/a')).toEqual([])
    const events = handler.feed('</arg><arg name="content">x</ar')
    expect(events.map(({ payload }) => payload)).toEqual([
      { metadata: { path: '/a' } },
      { delta: 'x' },
    ])
  })

  test('a call that was cut is shown as ended, and is not invoked', () => {
    const { segments, calls } = read('<run_bash>rm -rf build')
    expect([segments, calls]).toEqual([[['run_bash', {}, 'rm -rf build', {}]], []])
  })

  test('a missing argument is absent in the invocation', () => {
    expect(read('<tool name="write_file"><path>/a</path></tool>').calls).toEqual([
      ['seg_1', 'write_file', { path: '/a' }],
    ])
    expect(read('<write_file path="/a"></write_file>').calls).toEqual([
      ['seg_1', 'write_file', { path: '/a', content: '' }],
    ])
  })

  test('native calls have the same metadata', () => {
    const handler = createStreamingResponseHandler({ ...seed, strategy: 'native' })
    const events = [
      ...handler.feed({ tool_calls: [{ index: 0, call_id: 'a', name: 'write_file' }] }),
      ...handler.feed({
        tool_calls: [{ index: 0, arguments_delta: '{"path":"/a","content":"x"}' }],
      }),
      ...handler.feed({
        tool_calls: [{ index: 1, call_id: 'b', name: 'f', arguments_delta: '{}' }],
      }),
      ...handler.finalize(),
    ]
    expect(joinSegments(events)).toMatchObject([
      { id: 'a', type: 'write_file', metadata: { path: '/a' }, content: 'x', end: {} },
      { id: 'b', type: 'tool_call', metadata: { tool_name: 'f' }, content: '{}', end: {} },
    ])
  })

  test('a projected tool with another name is invoked by its name', () => {
    const projections = { make: { segment: 'write_file', path: 'file', content: 'body' } } as const
    const { segments, calls } = read('<tool name="make"><file>/a</file><body>x</body></tool>', {
      projections,
    })
    expect(segments).toEqual([['write_file', { path: '/a' }, 'x', {}]])
    expect(calls).toEqual([['seg_1', 'make', { file: '/a', body: 'x' }]])
  })
})

describe('detection as defined by the streaming parser design', () => {
  test('code hides nothing by default', () => {
    const fenced = '```\n<run_bash>ls</run_bash>\n```\nand `<run_bash>ls</run_bash>`'
    expect(read(fenced).calls).toHaveLength(2)
    expect(read(fenced, { fences: 'opaque', inline: 'opaque' }).calls).toEqual([])
  })

  test('unknown tags are text', () => {
    expect(read('<b>a</b> <tools>').segments).toEqual([['text', {}, '<b>a</b> <tools>', {}]])
  })

  test('the environment and the provider select the strategy', () => {
    const chosen = [
      { environment: { AUTOBYTEUS_STREAM_PARSER: 'json' } },
      { environment: {}, provider: 'openai' },
    ]
    for (const options of chosen) expect(read(blob, options).segments[0]?.[0]).toBe('tool_call')
    expect(
      read('<run_bash>ls</run_bash>', { environment: {}, provider: 'anthropic' }).calls,
    ).toHaveLength(1)
    expect(read('<run_bash>ls</run_bash>', { strategy: 'native' }).calls).toEqual([])
  })

  test('the earliest marker wins among several strategies', () => {
    const formats = ['seed-xml', seedJson(), 'seed-sentinel'] as const
    const text = `${blob}<run_bash>{"tool": 1}</run_bash>[[SEG_START {"type":"text"}]]<tool name="f">[[SEG_END]]`
    expect(read(text, { formats }).segments.map(([type, , content]) => [type, content])).toEqual([
      ['tool_call', blob],
      ['run_bash', '{"tool": 1}'],
      ['text', '<tool name="f">'],
    ])
  })

  test('a tool may have its own state, found in any case', () => {
    const format = seedXml({ states: { my_tool: { markers: [['__START_SQL__', '__END_SQL__']] } } })
    const projections = { my_tool: { segment: 'run_bash', content: 'query' } } as const
    const text =
      '<tool name="MY_TOOL"><query>__START_SQL__\n</query></tool>\n__END_SQL__</query></tool>'
    const { segments, calls } = read(text, { formats: [format], projections })
    expect(segments).toEqual([['run_bash', {}, '</query></tool>\n', {}]])
    expect(calls).toEqual([['seg_1', 'my_tool', { query: '</query></tool>\n' }]])
  })
})
