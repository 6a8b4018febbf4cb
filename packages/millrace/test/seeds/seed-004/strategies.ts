import { expect } from 'vitest'
import {
  createSegmentParser,
  createStreamingResponseHandler,
  defaultProjections,
  type SegmentParserOptions,
} from '../../../src/segments/index.ts'
import type { StreamingResponseHandlerOptions } from '../../../src/segments/response-handler.ts'
import { eventsOf, joinEvents, segmentsOf } from '../support/read-segments.ts'
import { createSection } from '../support/seed-case.ts'

const everyFormat =
  '<run_bash>a</run_bash>{"tool":{"function":"f","parameters":{}}}[[SEG_START {"type":"run_bash"}]]b[[SEG_END]]'
const typesOf = (options: SegmentParserOptions): string[] =>
  segmentsOf(everyFormat, options).map(({ type }) => type)
const handledTypes = (options: StreamingResponseHandlerOptions): string[] => {
  const handler = createStreamingResponseHandler(options)
  return joinEvents([...handler.feed(everyFormat), ...handler.finalize()]).map(({ type }) => type)
}
const found = {
  xml: ['run_bash', 'text'],
  json: ['text', 'tool_call', 'text'],
  sentinel: ['text', 'run_bash'],
  api_tool_call: ['text'],
}

const selection = createSection('004', 'Parser Strategy Selection')

for (const [strategy, types] of Object.entries(found))
  selection.works(`\`AUTOBYTEUS_STREAM_PARSER=${strategy}\` selects the parser.`, () => {
    expect(typesOf({ environment: { AUTOBYTEUS_STREAM_PARSER: strategy } })).toEqual(types)
    expect(handledTypes({ environment: { AUTOBYTEUS_STREAM_PARSER: strategy } })).toEqual(types)
  })
selection.works('`native` is an alias of `api_tool_call`.', () => {
  expect(typesOf({ environment: { AUTOBYTEUS_STREAM_PARSER: 'native' } })).toEqual(['text'])
})
selection.works('Without the variable a parser reads `xml`.', () => {
  expect(typesOf({ environment: {} })).toEqual(found.xml)
})
selection.works('Without the variable an agent’s handler expects `api_tool_call`.', () => {
  expect(handledTypes({ environment: {} })).toEqual(found.api_tool_call)
})
selection.works('With a provider and no override: XML for Anthropic.', () => {
  expect(handledTypes({ provider: 'anthropic', environment: {} })).toEqual(found.xml)
})
selection.works('With a provider and no override: JSON for others.', () => {
  for (const provider of ['ollama', 'kimi', 'qwen'])
    expect(handledTypes({ provider, environment: {} })).toEqual(found.json)
})
selection.works('The override has priority over the provider.', () => {
  const environment = { AUTOBYTEUS_STREAM_PARSER: 'sentinel' }
  expect(handledTypes({ provider: 'anthropic', environment })).toEqual(found.sentinel)
})
selection.works('JSON signatures follow the provider.', () => {
  const gemini = '{"name":"f","args":{"a":1}}'
  const openai = '{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}'
  const isCall = (text: string, provider: string): boolean =>
    segmentsOf(text, { strategy: 'json', provider })[0]?.type === 'tool_call'
  expect([isCall(gemini, 'gemini'), isCall(gemini, 'openai')]).toEqual([true, false])
  expect([isCall(openai, 'openai'), isCall(openai, 'gemini')]).toEqual([true, false])
})
selection.differs(
  'An unknown value of the variable falls back to a default.',
  'It is refused with the list of values: a misspelt name would silently disable tools.',
  () => {
    expect(() => typesOf({ environment: { AUTOBYTEUS_STREAM_PARSER: 'yaml' } })).toThrow(
      'Use one of',
    )
  },
)
selection.differs(
  'The variable has one name.',
  '`MILLRACE_STREAM_PARSER` is read first, `AUTOBYTEUS_STREAM_PARSER` after it.',
  () => {
    const environment = { MILLRACE_STREAM_PARSER: 'json', AUTOBYTEUS_STREAM_PARSER: 'xml' }
    expect(typesOf({ environment })).toEqual(found.json)
  },
)
selection.works('`api_tool_call` ignores tags in text; calls are native.', () => {
  const handler = createStreamingResponseHandler({ strategy: 'api_tool_call' })
  const call = { index: 0, call_id: 'c1', name: 'f', arguments_delta: '{"a":1}' }
  const events = [
    ...handler.feed('<run_bash>ls</run_bash>'),
    ...handler.feed({ tool_calls: [call] }),
    ...handler.finalize(),
  ]
  expect(joinEvents(events)).toMatchObject([
    { type: 'text', content: '<run_bash>ls</run_bash>' },
    { id: 'c1', type: 'tool_call', content: '{"a":1}' },
  ])
})

const sentinel = createSection('004', 'Sentinel Format')
const block = (header: string, body = 'x = 1') => `[[SEG_START ${header}]]${body}[[SEG_END]]`
const sentinels = (text: string) => segmentsOf(text, { strategy: 'sentinel' })

sentinel.works('The start marker with a JSON header and the end marker make a segment.', () => {
  expect(sentinels(block('{"type":"write_file","path":"/a.py"}'))).toEqual([
    { id: 'seg_1', type: 'write_file', metadata: { path: '/a.py' }, content: 'x = 1', end: {} },
  ])
})
for (const type of ['text', 'tool_call', 'write_file', 'patch_file', 'run_bash', 'reasoning'])
  sentinel.works(`\`type\` can be \`${type}\`.`, () => {
    expect(sentinels(block(`{"type":"${type}"}`))).toMatchObject([{ type, content: 'x = 1' }])
  })
sentinel.works('Every other field of the header is metadata.', () => {
  const [only] = sentinels(block('{"type":"run_bash","background":true,"tags":["a","]]"]}'))
  expect(only?.metadata).toEqual({ background: true, tags: ['a', ']]'] })
})
sentinel.works('The markers are found wherever the chunks are cut.', () => {
  const text = `a${block('{"type":"run_bash"}', 'ls')}b`
  for (let cut = 0; cut <= text.length; cut++) {
    const parser = createSegmentParser({ strategy: 'sentinel' })
    const events = [...parser.feed(text.slice(0, cut)), ...parser.feed(text.slice(cut))]
    const segments = joinEvents([...events, ...parser.finalize()])
    expect(segments.map(({ content }) => content)).toEqual(['a', 'ls', 'b'])
  }
})
sentinel.works('Content between the markers is raw, tags and JSON included.', () => {
  expect(
    sentinels(block('{"type":"write_file","path":"/a"}', '<run_bash>{"tool":1}')),
  ).toMatchObject([{ content: '<run_bash>{"tool":1}' }])
})

const detection = createSection('004', 'Detection Strategies')

detection.works('The default order is the XML tags alone.', () => {
  expect(segmentsOf(everyFormat).map(({ type }) => type)).toEqual(found.xml)
})
detection.works('Of several strategies the earliest match wins.', () => {
  const formats = ['seed-xml', 'seed-sentinel'] as const
  const first = segmentsOf('[[SEG_START {"type":"run_bash"}]]<run_bash>x</run_bash>[[SEG_END]]', {
    formats,
  })
  expect(first).toMatchObject([{ content: '<run_bash>x</run_bash>' }])
  const second = segmentsOf('<run_bash>[[SEG_START {"type":"text"}]]</run_bash>', { formats })
  expect(second).toMatchObject([{ content: '[[SEG_START {"type":"text"}]]' }])
})
detection.differs(
  '`strategy_order` takes the names `xml_tag`, `json_tool` and `sentinel`.',
  'It is the option `formats`, with names of presets (`seed-xml`, `seed-sentinel`) or formats as data; an unknown name is refused.',
  () => {
    const formats = ['xml_tag'] as unknown as readonly 'seed-xml'[]
    expect(() => createSegmentParser({ formats })).toThrow('xml_tag')
    expect(typesOf({ formats: ['seed-xml', 'seed-sentinel'] })).toEqual([
      'run_bash',
      'text',
      'run_bash',
    ])
  },
)

const custom = createSection('004', 'Adding a New Block Type')

custom.works('A tool can be shown as a file or command without changing the library.', () => {
  const projections = {
    ...defaultProjections,
    create_file: { segment: 'write_file', path: 'file_path', content: 'body' },
  } as const
  const text =
    '<tool name="create_file"><arguments><arg name="file_path">/a</arg><arg name="body">x</arg></arguments></tool>'
  expect(segmentsOf(text, { projections })).toMatchObject([
    { type: 'write_file', metadata: { path: '/a' }, content: 'x' },
  ])
})
custom.works('Tool names are looked up in lower case: `WRITE_FILE` is `write_file`.', () => {
  const text =
    '<tool name="WRITE_FILE"><arguments><arg name="path">/a</arg><arg name="content">x</arg></arguments></tool>'
  expect(segmentsOf(text)).toMatchObject([{ type: 'write_file', content: 'x' }])
})
custom.works('The metadata keep the name as it was written.', () => {
  expect(segmentsOf('<tool name="MY_TOOL"><x>1</x></tool>')[0]?.metadata).toEqual({
    tool_name: 'MY_TOOL',
  })
})
custom.differs(
  'States are registered for the whole process.',
  'They are options of a parser: two agents in one process may differ.',
  () => {
    const projections = { my_tool: { segment: 'run_bash', content: 'code' } } as const
    const text = '<tool name="my_tool"><arguments><arg name="code">x</arg></arguments></tool>'
    expect(segmentsOf(text, { projections })[0]?.type).toBe('run_bash')
    expect(segmentsOf(text)[0]?.type).toBe('tool_call')
    expect(eventsOf(text).at(-1)?.type).toBe('SEGMENT_END')
  },
)

/** Strategies and extension in seed 004. */
export const strategyStatements = [selection, sentinel, detection, custom].flatMap(
  ({ statements }) => statements,
)
