import { expect } from 'vitest'
import { createSegmentParser, createStreamingResponseHandler } from '../../../src/segments/index.ts'
import { toToolInvocations } from '../../../src/segments/invocations/invocation-reader.ts'
import { eventsOf, joinEvents, segmentsOf } from '../support/read-segments.ts'
import { createSection } from '../support/seed-case.ts'

const mapping = createSection('004', 'Tool Syntax Mapping')

mapping.works('`<write_file path="...">` invokes `write_file` with the path and the body.', () => {
  expect(toToolInvocations(eventsOf('<write_file path="/a">body</write_file>'))).toEqual([
    { id: 'seg_1', name: 'write_file', arguments: { path: '/a', content: 'body' } },
  ])
})
mapping.works('`<run_bash>` invokes `run_bash` with the body as command.', () => {
  expect(toToolInvocations(eventsOf('<run_bash>ls</run_bash>'))).toEqual([
    { id: 'seg_1', name: 'run_bash', arguments: { command: 'ls' } },
  ])
})
mapping.works('`run_terminal_cmd` is a name for the same segment.', () => {
  const text = '[[SEG_START {"type":"run_terminal_cmd"}]]ls[[SEG_END]]'
  expect(toToolInvocations(eventsOf(text, { strategy: 'sentinel' }))).toMatchObject([
    { name: 'run_bash', arguments: { command: 'ls' } },
  ])
})
mapping.works(
  'Names of tools are resolved after parsing: events alone give the invocation.',
  () => {
    const events = structuredClone(eventsOf('<run_bash>ls</run_bash>'))
    expect(toToolInvocations(events)).toHaveLength(1)
  },
)

const ids = createSection('004', 'Tool Invocation IDs')

ids.works('An invocation has the id of its segment.', () => {
  const events = eventsOf('a<run_bash>ls</run_bash>b<tool name="f"><x>1</x></tool>')
  const calls = joinEvents(events).filter(({ type }) => type !== 'text')
  expect(toToolInvocations(events).map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
})
ids.works('The page has it before the approval is requested.', () => {
  const seen: string[] = []
  const handler = createStreamingResponseHandler({
    strategy: 'xml',
    onSegment: (event) => seen.push(event.segment_id),
    onInvocation: ({ id }) => expect(seen).toContain(id),
  })
  handler.feed('<run_bash>ls</run_bash>')
  handler.finalize()
  expect(seen).toContain('seg_1')
})
ids.works('Ids can be made by the caller, and stay the same in both.', () => {
  const options = { createId: (number: number) => `turn_1:seg_${number}` }
  expect(toToolInvocations(eventsOf('<run_bash>ls</run_bash>', options))[0]?.id).toBe(
    'turn_1:seg_1',
  )
})
ids.differs(
  'One segment is one invocation.',
  'JSON with several calls invokes all of them: the first has the id of the segment, the others `seg_1:1` and so on.',
  () => {
    const text =
      '{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]}'
    const options = { strategy: 'json', provider: 'openai' } as const
    expect(toToolInvocations(eventsOf(text, options)).map(({ id }) => id)).toEqual([
      'seg_1',
      'seg_1:1',
    ])
  },
)

const holdback = createSection('004', 'Safe Streaming (Holdback Pattern)')

holdback.works('Characters that may belong to the closing tag are held back.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  parser.feed('<write_file path="/a">')
  expect(parser.feed("print('hi')</wr")).toMatchObject([
    { type: 'SEGMENT_CONTENT', payload: { delta: "print('hi')" } },
  ])
})
holdback.works('With the rest of the closing tag the content and the end are emitted.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  parser.feed("<write_file path='/a'>print('hi')</wr")
  expect(parser.feed('ite_file>')).toMatchObject([{ type: 'SEGMENT_END', payload: {} }])
  expect(parser.held).toBe('')
})
holdback.works('What turns out to be no closing tag is content after all.', () => {
  expect(segmentsOf("<write_file path='/a'>a</wrong>b</write_file>")[0]?.content).toBe('a</wrong>b')
})
for (const [tag, open, close] of [
  ['write_file', '<write_file path="/a">', '</write_file>'],
  ['run_bash', '<run_bash>', '</run_bash>'],
  ['tool', '<tool name="f">', '</tool>'],
] as const)
  holdback.works(`No prefix of \`${close}\` is ever shown, at any cut, in a \`${tag}\`.`, () => {
    for (let cut = 1; cut < close.length; cut++) {
      const parser = createSegmentParser({ strategy: 'xml' })
      const [segment] = joinEvents(parser.feed(`${open}x${close.slice(0, cut)}`))
      expect(segment?.content).toBe('x')
    }
  })
holdback.differs(
  'As many characters as the closing tag has, less one, are always held back.',
  'Only the longest end that may still become the closing tag is held, so nothing waits that need not.',
  () => {
    const parser = createSegmentParser({ strategy: 'xml' })
    const [segment] = joinEvents(parser.feed("<write_file path='/a'>short"))
    expect(segment?.content).toBe('short')
    expect(parser.held).toBe('')
  },
)

const integration = createSection('004', 'Integration with Event Handler')
integration.works(
  'Chunks of a response object are fed as they are, text and native calls alike.',
  () => {
    const handler = createStreamingResponseHandler({ strategy: 'xml' })
    const events = [
      ...handler.feed({ content: 'Let me see. ' }),
      ...handler.feed({
        tool_calls: [{ index: 0, call_id: 'c1', name: 'f', arguments_delta: '{}' }],
      }),
      ...handler.finalize(),
    ]
    expect(joinEvents(events)).toMatchObject([
      { type: 'text', content: 'Let me see. ' },
      { id: 'c1', type: 'tool_call', metadata: { tool_name: 'f' } },
    ])
  },
)
integration.works('`finalize` at the end closes the stream; feeding after it is an error.', () => {
  const handler = createStreamingResponseHandler({ strategy: 'xml' })
  handler.finalize()
  expect(() => handler.feed('x')).toThrow('finalize')
})

const coverage = createSection('004', 'Testing')
const mixed = 'a <b> c<write_file path="/x">1</write_file> {"d":1} <run_bash>ls</run_bash>`<tool`e'
coverage.works('Partial tags: every cut of a text gives the same segments.', () => {
  const whole = joinEvents(eventsOf(mixed, {}, true))
  for (let cut = 0; cut <= mixed.length; cut++) {
    const parser = createSegmentParser({ strategy: 'xml' })
    const pieces = [mixed.slice(0, cut), mixed.slice(cut)]
    const events = [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.finalize()]
    expect(joinEvents(events)).toEqual(whole)
  }
})
coverage.works('Incomplete blocks: nothing that was fed is lost when the stream ends.', () => {
  for (let cut = 0; cut <= mixed.length; cut++) {
    const parts: string[] = []
    const parser = createSegmentParser({
      strategy: 'xml',
      onSource: ({ text }) => parts.push(text),
    })
    parser.feed(mixed.slice(0, cut))
    parser.finalize()
    expect(parts.join('')).toBe(mixed.slice(0, cut))
  }
})
coverage.works('Mixed content: text, blocks and stray markers keep their order.', () => {
  expect(segmentsOf(mixed).map(({ content }) => content)).toEqual([
    'a <b> c',
    '1',
    ' {"d":1} ',
    'ls',
    '`<tool`e',
  ])
})

/** Invocations and holdback of seed 004. */
export const invocationStatements = [mapping, ids, holdback, integration, coverage].flatMap(
  ({ statements }) => statements,
)
