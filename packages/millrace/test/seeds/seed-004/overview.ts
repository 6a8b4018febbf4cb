import { expect } from 'vitest'
import { createSegmentParser, createStreamingResponseHandler } from '../../../src/segments/index.ts'
import { toToolInvocations } from '../../../src/segments/invocations/invocation-reader.ts'
import { eventsOf, joinEvents, segmentsOf } from '../support/read-segments.ts'
import { createSection } from '../support/seed-case.ts'

const overview = createSection('004', 'Overview and Goals')

overview.works(
  'Structured blocks are found while text streams: `<write_file>`, `<run_bash>`, `<tool>`.',
  () => {
    const text =
      'a<write_file path="/a">b</write_file>c<run_bash>d</run_bash><tool name="f"><x>1</x></tool>e'
    expect(segmentsOf(text).map(({ type }) => type)).toEqual([
      'text',
      'write_file',
      'text',
      'run_bash',
      'tool_call',
      'text',
    ])
  },
)
overview.works('Output is parsed as chunks arrive, character by character if need be.', () => {
  const text = 'Hello <write_file path="/a.py">print(1)\n</write_file> bye'
  expect(joinEvents(eventsOf(text, {}, true))).toEqual(segmentsOf(text))
  const parser = createSegmentParser({ strategy: 'xml' })
  expect(parser.feed('Hello').length).toBeGreaterThan(0)
})
overview.works('A partial closing tag is never emitted.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  const events = parser.feed("<write_file path='/a'>print('hi')</wr")
  expect(joinEvents(events)[0]?.content).toBe("print('hi')")
  expect(parser.held).toBe('</wr')
})
overview.works('Each block is `SEGMENT_START`, any `SEGMENT_CONTENT`, one `SEGMENT_END`.', () => {
  const kinds = eventsOf('a<run_bash>ls</run_bash>').map(({ type }) => type)
  expect(kinds.join(' ')).toBe(
    'SEGMENT_START SEGMENT_CONTENT SEGMENT_END SEGMENT_START SEGMENT_CONTENT SEGMENT_CONTENT SEGMENT_END',
  )
})
overview.works('Any provider’s text can be parsed: the parser takes strings.', () => {
  for (const provider of ['anthropic', 'openai', 'gemini', 'ollama']) {
    const segments = segmentsOf('plain text', { provider })
    expect(segments).toMatchObject([{ type: 'text', content: 'plain text' }])
  }
})

const handler = createSection('004', 'StreamingResponseHandler')

handler.works('Chunks are fed as they arrive, and `finalize` ends the stream.', () => {
  const reader = createStreamingResponseHandler({ strategy: 'xml' })
  const events = [
    ...reader.feed("Hello <write_file path='/a.py'>"),
    ...reader.feed("print('hi')</write_file>"),
    ...reader.finalize(),
  ]
  expect(joinEvents(events)).toMatchObject([
    { type: 'text', content: 'Hello ' },
    { type: 'write_file', metadata: { path: '/a.py' }, content: "print('hi')", end: {} },
  ])
})
handler.works('`feed` returns the events that the chunk made certain.', () => {
  const reader = createStreamingResponseHandler({ strategy: 'xml' })
  expect(reader.feed("Hello <write_file path='/a.py'>").map(({ type }) => type)).toEqual([
    'SEGMENT_START',
    'SEGMENT_CONTENT',
    'SEGMENT_END',
    'SEGMENT_START',
  ])
})
handler.works('A chunk may be an object with `content`.', () => {
  const reader = createStreamingResponseHandler({ strategy: 'xml' })
  const events = [...reader.feed({ content: '<run_bash>ls</run_bash>' }), ...reader.finalize()]
  expect(joinEvents(events)).toMatchObject([{ type: 'run_bash', content: 'ls' }])
})
handler.works('A callback gets every event.', () => {
  const received: unknown[] = []
  const reader = createStreamingResponseHandler({
    strategy: 'xml',
    onSegment: (event) => received.push(event),
  })
  const returned = [...reader.feed('a<run_bash>ls</run_bash>'), ...reader.finalize()]
  expect(received).toEqual(returned)
})
handler.differs(
  'A handler without options parses `<write_file>` tags.',
  "Without a strategy a handler reads native tool calls, the document’s agent default; `strategy: 'xml'` parses tags.",
  () => {
    const reader = createStreamingResponseHandler({ environment: {} })
    const events = [...reader.feed("<write_file path='/a.py'>x</write_file>"), ...reader.finalize()]
    expect(joinEvents(events).map(({ type }) => type)).toEqual(['text'])
  },
)

const context = createSection('004', 'ParserContext')

context.works('The scanner keeps only undecided text.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  parser.feed(`${'x'.repeat(10_000)} <too`)
  expect(parser.held).toBe('<too')
})
context.works('Events are queued and given out in order, once.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  const first = parser.feed('a')
  expect(first.map(({ type }) => type)).toEqual(['SEGMENT_START', 'SEGMENT_CONTENT'])
  expect(parser.feed('')).toEqual([])
})
context.works('Tool calls can be left unparsed (`parse_tool_calls`): `hasTools: false`.', () => {
  const reader = createStreamingResponseHandler({ strategy: 'xml', hasTools: false })
  const events = [...reader.feed('<run_bash>ls</run_bash>'), ...reader.finalize()]
  expect(joinEvents(events).map(({ type }) => type)).toEqual(['text'])
})
context.works('`strategy_order`: several strategies can be active at once, as `formats`.', () => {
  const text = '[[SEG_START {"type":"run_bash"}]]ls[[SEG_END]]<run_bash>pwd</run_bash>'
  expect(segmentsOf(text, { formats: ['seed-sentinel', 'seed-xml'] })).toMatchObject([
    { type: 'run_bash', content: 'ls' },
    { type: 'run_bash', content: 'pwd' },
  ])
})

const states = createSection('004', 'State Classes')

states.works('`finalize` closes segments that are open in the middle of a parse.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  parser.feed('<run_bash>ls -l')
  expect(parser.finalize().at(-1)).toMatchObject({ type: 'SEGMENT_END', segment_id: 'seg_1' })
})
states.works('Text state: `<` begins the search for a tag.', () => {
  expect(segmentsOf('a < b <run_bash>ls</run_bash>').map(({ content }) => content)).toEqual([
    'a < b ',
    'ls',
  ])
})
states.works('Text state: a brace begins the search for a JSON call.', () => {
  const text = 'a {b} {"tool":{"function":"f","parameters":{}}}'
  expect(segmentsOf(text, { strategy: 'json' }).map(({ type }) => type)).toEqual([
    'text',
    'tool_call',
  ])
})
states.works('Tag state: `<tool name="...">` goes to the state of that tool.', () => {
  const text = '<tool name="run_bash"><arguments><arg name="command">ls</arg></arguments></tool>'
  expect(segmentsOf(text)).toMatchObject([{ type: 'run_bash', content: 'ls' }])
})
states.works('Tag state: `<write_file path="...">` goes to the custom write state.', () => {
  expect(segmentsOf('<write_file path="/a">x</write_file>')).toMatchObject([{ type: 'write_file' }])
})
states.works('Tag state: `<run_bash>` goes to the custom command state.', () => {
  expect(segmentsOf('<run_bash>x</run_bash>')).toMatchObject([{ type: 'run_bash' }])
})
states.works('Tag state: an unknown tag is text.', () => {
  expect(segmentsOf('<b>x</b> <toolbox name="a">')).toMatchObject([
    { type: 'text', content: '<b>x</b> <toolbox name="a">' },
  ])
})
states.differs(
  'A tag inside a code fence or inline code is a block like any other.',
  'By default it is text, so that an example in an answer is not run; `fences` and `inline` can be `transparent`.',
  () => {
    const fenced = '```\n<run_bash>ls</run_bash>\n```'
    expect(segmentsOf(fenced).map(({ type }) => type)).toEqual(['text'])
    const inline = '`<run_bash>ls</run_bash>`'
    expect(segmentsOf(inline).map(({ type }) => type)).toEqual(['text'])
    const open = { fences: 'transparent', inline: 'transparent' } as const
    for (const text of [fenced, inline])
      expect(segmentsOf(text, open).map(({ type }) => type)).toContain('run_bash')
  },
)

const special = createSection('004', 'Specialized XML Tool States')
const writeTool = (body: string): string =>
  `<tool name="write_file"><arguments>${body}</arguments></tool> after`
const path = '<arg name="path">/a.py</arg>'
const content = '<arg name="content">x < y</arg>'

special.works('Deferred start: `SEGMENT_START` waits for `path` and has it.', () => {
  const parser = createSegmentParser({ strategy: 'xml' })
  expect(parser.feed('<tool name="write_file"><arguments>')).toEqual([])
  expect(parser.feed(`${path}<arg name="content">`)).toMatchObject([
    { payload: { metadata: { path: '/a.py' } } },
  ])
})
special.works('Deferred start: content before the path is held until the path is known.', () => {
  const [file] = segmentsOf(writeTool(content + path))
  expect(file).toMatchObject({ metadata: { path: '/a.py' }, content: 'x < y' })
})
special.works('Pure content: only the text of `<arg name="content">` is streamed.', () => {
  const [file] = segmentsOf(writeTool(path + content))
  expect(file).toMatchObject({ type: 'write_file', content: 'x < y' })
})
special.works(
  'Tag swallowing: the closing tags appear nowhere, and text continues after them.',
  () => {
    expect(segmentsOf(writeTool(path + content)).at(-1)).toMatchObject({
      type: 'text',
      content: ' after',
    })
  },
)
special.works('Raw markers: only the text between them is streamed.', () => {
  const marked = '<arg name="content">__START_CONTENT__\nx\n__END_CONTENT__</arg>'
  expect(segmentsOf(writeTool(path + marked))[0]?.content).toBe('x\n')
})
special.works('`run_bash`: the start is emitted, then only the text of `command`.', () => {
  const text = '<tool name="run_bash"><arguments><arg name="command">ls -l</arg></arguments></tool>'
  const events = eventsOf(text)
  expect(events[0]).toMatchObject({ type: 'SEGMENT_START', segment_type: 'run_bash' })
  expect(joinEvents(events)).toMatchObject([{ content: 'ls -l' }])
})
special.works('`run_bash`: trailing markup is swallowed.', () => {
  const text = '<tool name="run_bash"><arg name="command">ls</arg> </arguments></tool>x'
  expect(segmentsOf(text).map((segment) => segment.content)).toEqual(['ls', 'x'])
})
special.works('`patch_file`: the text of `patch`, with the path in the start.', () => {
  const text = `<tool name="patch_file"><arguments>${path}<arg name="patch">@@ -1 +1 @@</arg></arguments></tool>`
  expect(segmentsOf(text)).toMatchObject([
    { type: 'patch_file', metadata: { path: '/a.py' }, content: '@@ -1 +1 @@' },
  ])
  expect(toToolInvocations(eventsOf(text))).toEqual([
    { id: 'seg_1', name: 'patch_file', arguments: { path: '/a.py', patch: '@@ -1 +1 @@' } },
  ])
})

/** Overview and components of seed 004. */
export const overviewStatements = [overview, handler, context, states, special].flatMap(
  ({ statements }) => statements,
)
