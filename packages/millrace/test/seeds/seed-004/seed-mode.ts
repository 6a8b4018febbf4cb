import { expect } from 'vitest'
import {
  createSegmentParser,
  createStreamingResponseHandler,
  type SegmentParserOptions,
} from '../../../src/segments/index.ts'
import { seedXml } from '../../../src/segments/formats/tags/seed-xml.ts'
import { toToolInvocations } from '../../../src/segments/invocations/invocation-reader.ts'
import { eventsOf, joinEvents, segmentsOf } from '../support/read-segments.ts'
import { createSection } from '../support/seed-case.ts'

/** The mode that follows the document in places where the default is stricter. */
const seedMode: SegmentParserOptions = { compatibility: 'seed-004' }

const path = '<arg name="path">/a.py</arg>'
const toolOf = (name: string, body: string): string =>
  `<tool name="${name}"><arguments>${body}</arguments></tool>`

const handler = createSection('004', 'StreamingResponseHandler')
handler.works(
  'In the mode `seed-004` a handler without a strategy parses the first example.',
  () => {
    const reader = createStreamingResponseHandler({ ...seedMode, environment: {} })
    const events = [
      ...reader.feed({ content: "Hello <write_file path='/a.py'>" }),
      ...reader.feed({ content: "print('hi')</write_file>" }),
      ...reader.finalize(),
    ]
    expect(joinEvents(events)).toEqual([
      { id: 'seg_1', type: 'text', metadata: {}, content: 'Hello ', end: {} },
      {
        id: 'seg_2',
        type: 'write_file',
        metadata: { path: '/a.py' },
        content: "print('hi')",
        end: {},
      },
    ])
  },
)

const states = createSection('004', 'State Classes')
states.works('In the mode `seed-004` a tag in a fence or inline code is a block.', () => {
  for (const text of ['```\n<run_bash>ls</run_bash>\n```', '`<run_bash>ls</run_bash>`'])
    expect(segmentsOf(text, seedMode).map(({ type }) => type)).toContain('run_bash')
})

const contract = createSection('004', 'Contract Boundary')
contract.works('In the mode `seed-004` the payload of every `SEGMENT_END` is `{}`.', () => {
  const texts = [
    toolOf('write_file', `${path}<arg name="mode">600</arg><arg name="content">x</arg>`),
    toolOf('run_bash', '<arg name="timeout">5</arg><arg name="command">ls</arg>'),
    '<run_bash>ls',
    '<write_file path="/a">x</write_file>',
  ]
  for (const text of texts)
    for (const { end } of segmentsOf(text, seedMode)) expect(end).toEqual({})
})

const table = createSection('004', 'State → Emitted Segment Events')
for (const [type, body, metadata] of [
  ['write_file', `${path}<arg name="content">x</arg>`, { path: '/a.py' }],
  ['patch_file', `${path}<arg name="patch">x</arg>`, { path: '/a.py' }],
  ['run_bash', '<arg name="command">x</arg>', {}],
] as const)
  table.works(
    `In the mode \`seed-004\` a \`<tool name="${type}">\` has the metadata of the table.`,
    () => {
      expect(segmentsOf(toolOf(type, body), seedMode)).toEqual([
        { id: 'seg_1', type, metadata, content: 'x', end: {} },
      ])
    },
  )
table.works('In the mode `seed-004` every JSON call is a raw `tool_call`.', () => {
  const call = '{"tool":{"function":"write_file","parameters":{"path":"/a","content":"x"}}}'
  const segments = segmentsOf(call, { ...seedMode, strategy: 'json' })
  expect(segments).toEqual([
    { id: 'seg_1', type: 'tool_call', metadata: {}, content: call, end: {} },
  ])
})

const special = createSection('004', 'Specialized XML Tool States')
special.works('Between the markers even closing tags are content.', () => {
  const inner = 'a</arg></arguments></tool>b\n'
  const content = `<arg name="content">__START_CONTENT__\n${inner}__END_CONTENT__</arg>`
  const text = `${toolOf('write_file', path + content)} after`
  expect(segmentsOf(text).map((segment) => segment.content)).toEqual([inner, ' after'])
  expect(toToolInvocations(eventsOf(text))[0]?.arguments['content']).toBe(inner)
})
special.works(
  'After the end marker nothing is streamed, and the closing tags are swallowed.',
  () => {
    for (const closed of ['</arg>', ' .</arg>', '', '\n'])
      for (const mode of [seedMode, {}]) {
        const content = `<arg name="content">__START_CONTENT__x__END_CONTENT__${closed}`
        const segments = segmentsOf(`${toolOf('write_file', path + content)}after`, mode)
        expect(segments.map((segment) => segment.content)).toEqual(['x', 'after'])
      }
  },
)
special.works('Without the end marker the call is cut and not invoked.', () => {
  const content = '<arg name="content">__START_CONTENT__\nhalf</arg>'
  expect(toToolInvocations(eventsOf(toolOf('write_file', path + content)))).toEqual([])
})

const mapping = createSection('004', 'Tool Syntax Mapping')
mapping.works('A missing argument is absent in the invocation.', () => {
  for (const [name, body] of [
    ['write_file', path],
    ['patch_file', path],
  ] as const)
    for (const call of toToolInvocations(eventsOf(toolOf(name, body))))
      expect(call.arguments).toEqual({ path: '/a.py' })
})
mapping.works('An empty argument is present and empty.', () => {
  const text = toolOf('write_file', `${path}<arg name="content"></arg>`)
  expect(toToolInvocations(eventsOf(text))[0]?.arguments).toEqual({ path: '/a.py', content: '' })
  expect(createSegmentParser().feed(text)[0]).toMatchObject({ segment_type: 'write_file' })
})

const custom = createSection('004', 'Adding a New Block Type')
custom.works('A tool can be given a parsing state by its name, in any case.', () => {
  const raw = { segment: 'run_bash', close: [{ endTag: 'tool', anyCase: true }] } as const
  const formats = [seedXml({ states: { my_tool: { raw } } })]
  for (const name of ['my_tool', 'MY_TOOL'])
    expect(segmentsOf(`<tool name="${name}">ls <b></tool>x`, { formats })).toMatchObject([
      { type: 'run_bash', content: 'ls <b>' },
      { type: 'text', content: 'x' },
    ])
})
custom.works('Other tools keep their states beside it.', () => {
  const raw = { segment: 'run_bash', close: [{ endTag: 'tool', anyCase: true }] } as const
  const formats = [seedXml({ states: { my_tool: { raw } } })]
  const text = toolOf('write_file', `${path}<arg name="content">x</arg>`)
  expect(segmentsOf(text, { formats })).toMatchObject([{ type: 'write_file', content: 'x' }])
})

/** The statements of seed 004 that only its mode, or the present parser, fulfils. */
export const seedModeStatements = [
  handler,
  states,
  contract,
  table,
  special,
  mapping,
  custom,
].flatMap(({ statements }) => statements)
