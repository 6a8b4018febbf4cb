import { expect } from 'vitest'
import { toToolInvocations } from '../../../src/segments/invocations/invocation-reader.ts'
import { eventsOf, segmentsOf } from '../support/read-segments.ts'
import { createSection } from '../support/seed-case.ts'

const file = '<write_file path="/tmp/a.py">print(\'hi\')\n</write_file>'
const tool = '<tool name="search"><arguments><arg name="q">x</arg></arguments></tool>'
const writeTool =
  '<tool name="write_file"><arguments><arg name="path">/a</arg><arg name="content">x</arg></arguments></tool>'
const patchTool =
  '<tool name="patch_file"><arguments><arg name="path">/a</arg><arg name="patch">@@</arg></arguments></tool>'
const bashTool = '<tool name="run_bash"><arguments><arg name="command">ls</arg></arguments></tool>'
const json = '{"tool": {"function": "f", "parameters": {"a": 1}}}'

const events = createSection('004', 'Segment Events')

events.works(
  '`SEGMENT_START` is emitted when the opening tag is detected, with type and metadata.',
  () => {
    expect(eventsOf(file)[0]).toEqual({
      type: 'SEGMENT_START',
      segment_id: 'seg_1',
      segment_type: 'write_file',
      payload: { metadata: { path: '/tmp/a.py' } },
    })
  },
)
events.works('`SEGMENT_CONTENT` is emitted as content can be streamed, with `delta`.', () => {
  const deltas = eventsOf(file).flatMap((event) =>
    event.type === 'SEGMENT_CONTENT' ? [event.payload.delta] : [],
  )
  expect(deltas.length).toBeGreaterThan(3)
  expect(deltas.join('')).toBe("print('hi')\n")
})
events.works('`SEGMENT_END` is emitted at the closing tag.', () => {
  expect(eventsOf(`${file} x`).findIndex(({ type }) => type === 'SEGMENT_END')).toBeGreaterThan(3)
})
events.works('`SEGMENT_END` is emitted when the stream is finalized.', () => {
  expect(eventsOf('<run_bash>ls').at(-1)?.type).toBe('SEGMENT_END')
})

const contract = createSection('004', 'Contract Boundary')

contract.works('The parser streams content and does not parse arguments of a tool.', () => {
  expect(segmentsOf(tool)[0]?.content).toBe('<arguments><arg name="q">x</arg></arguments>')
})
contract.works('`SEGMENT_START` may have display metadata: `tool_name`, `path`.', () => {
  expect(segmentsOf(tool + file).map(({ metadata }) => metadata)).toEqual([
    { tool_name: 'search' },
    { path: '/tmp/a.py' },
  ])
})
contract.works('`SEGMENT_END` of a block that closed is a bare boundary.', () => {
  for (const text of [file, tool, writeTool, bashTool]) expect(segmentsOf(text)[0]?.end).toEqual({})
})
contract.differs(
  '`SEGMENT_END` never carries arguments.',
  'Arguments of `write_file`, `patch_file` and `run_bash` beside the streamed one are in its metadata, so that none is lost.',
  () => {
    const text = writeTool.replace(
      '<arg name="content">',
      '<arg name="mode">600</arg><arg name="content">',
    )
    expect(segmentsOf(text)[0]?.end).toEqual({ metadata: { mode: '600' } })
  },
)
contract.differs(
  '`SEGMENT_END` of an interrupted block is like any other.',
  'It has `complete: false`, and the call is not invoked: half a command is another command.',
  () => {
    expect(segmentsOf('<run_bash>rm -rf /tmp/x')[0]?.end).toEqual({ complete: false })
    expect(toToolInvocations(eventsOf('<run_bash>rm -rf /tmp/x'))).toEqual([])
  },
)
contract.works(
  'Arguments are built later, from the events: the adapter is `toToolInvocations`.',
  () => {
    expect(toToolInvocations(eventsOf(tool))).toEqual([
      { id: 'seg_1', name: 'search', arguments: { q: 'x' } },
    ])
  },
)

const schema = createSection('004', 'Payload Schema')

schema.works(
  '`SEGMENT_START` has `type`, `segment_id`, `segment_type` and `payload.metadata`.',
  () => {
    const [start] = eventsOf(file)
    expect(Object.keys(start ?? {}).sort()).toEqual([
      'payload',
      'segment_id',
      'segment_type',
      'type',
    ])
    expect(start?.payload).toEqual({ metadata: { path: '/tmp/a.py' } })
  },
)
schema.works('`SEGMENT_CONTENT` has `type`, `segment_id` and `payload.delta`.', () => {
  const content = eventsOf(file, {}, true)[1]
  expect(content).toEqual({
    type: 'SEGMENT_CONTENT',
    segment_id: 'seg_1',
    payload: { delta: "print('hi')\n" },
  })
})
schema.works('`SEGMENT_END` has `type`, `segment_id` and an empty `payload`.', () => {
  expect(eventsOf(file).at(-1)).toEqual({ type: 'SEGMENT_END', segment_id: 'seg_1', payload: {} })
})
schema.works('Segment ids are `seg_1`, `seg_2` and so on, text included.', () => {
  expect(segmentsOf(`a${file}b`).map(({ id }) => id)).toEqual(['seg_1', 'seg_2', 'seg_3'])
})

const semantics = createSection('004', 'Segment Type Semantics')

for (const [type, text, strategy, segment] of [
  ['text', 'plain', 'xml', { metadata: {}, content: 'plain' }],
  ['tool_call', tool, 'xml', { metadata: { tool_name: 'search' }, content: tool.slice(20, -7) }],
  ['write_file', file, 'xml', { metadata: { path: '/tmp/a.py' }, content: "print('hi')\n" }],
  [
    'patch_file',
    '<patch_file path="/a">@@ -1 +1 @@</patch_file>',
    'xml',
    { metadata: { path: '/a' }, content: '@@ -1 +1 @@' },
  ],
  ['run_bash', '<run_bash>ls</run_bash>', 'xml', { metadata: {}, content: 'ls' }],
  [
    'reasoning',
    '[[SEG_START {"type":"reasoning"}]]hm[[SEG_END]]',
    'sentinel',
    { metadata: {}, content: 'hm' },
  ],
] as const)
  semantics.works(`\`${type}\`: metadata, content and end are those of the table.`, () => {
    expect(segmentsOf(text, { strategy })).toEqual([{ id: 'seg_1', type, ...segment, end: {} }])
  })
semantics.works('`tool_call`: the content is the raw XML, or the raw JSON, of the call.', () => {
  expect(segmentsOf(tool)[0]?.content).toContain('<arg name="q">')
  expect(segmentsOf(json, { strategy: 'json' })[0]?.content).toBe(json)
})
semantics.works('`tool_call`: without a known name the metadata are empty.', () => {
  expect(segmentsOf(json, { strategy: 'json' })[0]?.metadata).toEqual({})
})

const table = createSection('004', 'State → Emitted Segment Events')

table.works('Text state: `text`, plain text.', () => {
  expect(segmentsOf('a')).toEqual([
    { id: 'seg_1', type: 'text', metadata: {}, content: 'a', end: {} },
  ])
})
table.works('XML tool state: `tool_call`, `tool_name` from the tag, raw arguments.', () => {
  expect(segmentsOf(tool)[0]).toMatchObject({
    type: 'tool_call',
    metadata: { tool_name: 'search' },
    content: '<arguments><arg name="q">x</arg></arguments>',
  })
})
table.works('JSON tool state: `tool_call`, empty metadata, the raw JSON.', () => {
  expect(segmentsOf(json, { strategy: 'json' })[0]).toMatchObject({
    type: 'tool_call',
    metadata: {},
    content: json,
  })
})
table.differs(
  'JSON tool state: a call of `write_file` is a raw `tool_call` as well.',
  'A call of a file or command tool is shown as a segment of its own type in every format, so that a page has one view of it.',
  () => {
    const call = '{"tool":{"function":"write_file","parameters":{"path":"/a","content":"x"}}}'
    expect(segmentsOf(call, { strategy: 'json' })[0]).toMatchObject({
      type: 'write_file',
      content: 'x',
    })
  },
)
for (const [state, text, type, content] of [
  ['XML write file state', writeTool, 'write_file', 'x'],
  ['XML patch file state', patchTool, 'patch_file', '@@'],
] as const)
  table.works(`${state}: \`${type}\`, the path in the start, content without tags.`, () => {
    expect(segmentsOf(text)[0]).toMatchObject({ type, metadata: { path: '/a' }, content })
  })
table.works('XML run bash state: `run_bash`, the command without tags.', () => {
  expect(segmentsOf(bashTool)[0]).toMatchObject({ type: 'run_bash', content: 'ls' })
})
table.differs(
  'XML tool states have the metadata of the table and no more.',
  'They also have `tool_name`, which the name in the tag gives; the table leaves it out.',
  () => {
    expect(segmentsOf(bashTool)[0]?.metadata).toEqual({ tool_name: 'run_bash' })
    expect(segmentsOf(writeTool)[0]?.metadata).toEqual({ tool_name: 'write_file', path: '/a' })
  },
)
table.works('Custom write file state: `write_file`, the path from the tag.', () => {
  expect(segmentsOf(file)[0]?.metadata).toEqual({ path: '/tmp/a.py' })
})
table.works('Custom run bash state: `run_bash`, empty metadata.', () => {
  expect(segmentsOf('<run_bash>ls</run_bash>')[0]?.metadata).toEqual({})
})
table.works('Sentinel state: the type of the header, its other fields as metadata.', () => {
  const text = '[[SEG_START {"type":"tool_call","tool_name":"f","x":1}]]raw[[SEG_END]]'
  expect(segmentsOf(text, { strategy: 'sentinel' })[0]).toMatchObject({
    type: 'tool_call',
    metadata: { tool_name: 'f', x: 1 },
    content: 'raw',
  })
})

const types = createSection('004', 'Segment Types')
types.works(
  'There are six types: text, tool_call, write_file, patch_file, run_bash, reasoning.',
  () => {
    const seed = ['text', 'tool_call', 'write_file', 'patch_file', 'run_bash', 'reasoning']
    const typeOf = (type: string) =>
      segmentsOf(`[[SEG_START {"type":"${type}"}]]x[[SEG_END]]`, { strategy: 'sentinel' })[0]
    for (const type of seed) expect(typeOf(type)).toMatchObject({ type, content: 'x' })
    expect(typeOf('media')).toMatchObject({ type: 'text', content: expect.stringMatching('SEG_') })
  },
)

/** The events of seed 004. */
export const segmentEventStatements = [events, contract, schema, semantics, table, types].flatMap(
  ({ statements }) => statements,
)
