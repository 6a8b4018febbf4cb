import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf } from '../../../test/support/models/anthropic-events.ts'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import { readAnswer, toReader } from '../../../test/support/models/text-tools.ts'
import type { ContentBlock, ModelEvent, ToolSchema } from '../../events/index.ts'
import type { TextRequestOptions } from './to-text-request.ts'

const weather: ToolSchema = {
  name: 'get_weather',
  description: '',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
}
const file: ToolSchema = {
  name: 'write_file',
  description: '',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      content: { type: 'string' },
      mode: { type: 'integer' },
    },
  },
}
const tools = [weather, file]

function read(said: string | readonly string[], options: TextRequestOptions): ModelEvent[] {
  const events = readAnswer([said].flat(), tools, options)
  checkModelEvents(events)
  return events
}

/** Reads an answer that was cut. */
function readCut(said: string, options: TextRequestOptions): ModelEvent[] {
  const events = readAnswer([said], tools, options, { outcome: 'interrupted', stopReason: null })
  checkModelEvents(events)
  return events
}

const contentOf = (said: string, options: TextRequestOptions) => endOf(read(said, options)).content

const call = (input: ContentBlock['input'] & object, name = 'get_weather') =>
  expect.objectContaining({ type: 'tool_use', name, input })

describe('an answer', () => {
  const said =
    '<think>Hm.</think>One: <tool_call>{"name":"get_weather","arguments":{"city":"Zürich"}}</tool_call>\n<tool_call>{"name":"get_weather","arguments":{}}</tool_call>\n two <b>'

  test('has thinking, text and calls with the ids of their segments', () => {
    const end = endOf(read(said, { syntax: 'hermes' }))
    expect(end).toMatchObject({ stopReason: 'tool_use', outcome: 'finished' })
    expect(end.content).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'One: ' },
      { type: 'tool_use', id: 'msg_seg_3', name: 'get_weather', input: { city: 'Zürich' } },
      { type: 'tool_use', id: 'msg_seg_5', name: 'get_weather', input: {} },
      { type: 'text', text: '\n two <b>' },
    ])
  })

  test('is the same for every split', () => {
    const whole = endOf(read(said, { syntax: 'hermes' }))
    fc.assert(
      fc.property(cutList, (cuts) => {
        expect(endOf(read(cutAt(said, cuts), { syntax: 'hermes' }))).toEqual(whole)
      }),
    )
  })

  test('shows JSON arguments as they arrive, in the model’s own bytes', () => {
    const events = read(['<tool_call>{"name":"get_weather","arguments":{"a": 1e400', ', "b":"x'], {
      syntax: 'hermes',
    })
    const deltas = events.flatMap((event) => (event.type === 'block_delta' ? [event.text] : []))
    expect(deltas.slice(0, -1)).toEqual(['{"a": 1e400', ', "b":"x'])
    expect(deltas.at(-1)).toContain('This call has no end')
  })

  test('that is only text stays one block, with the held text', () => {
    expect(contentOf('1 < 2 <tool_c', { syntax: 'hermes' })).toEqual([
      { type: 'text', text: '1 < 2 <tool_c' },
    ])
  })

  test('has no block of white space alone', () => {
    expect(contentOf('\n\n', { syntax: 'hermes' })).toEqual([])
    expect(contentOf('\n\n Hi', { syntax: 'hermes' })).toEqual([{ type: 'text', text: '\n\n Hi' }])
  })

  test('without tools has no calls', () => {
    const asked = '<think>a</think><tool_call>{"name":"f","arguments":{}}</tool_call>'
    const { content } = endOf(readAnswer([asked], [], { syntax: 'hermes' }))
    expect(content).toEqual([
      { type: 'thinking', thinking: 'a' },
      { type: 'text', text: '<tool_call>{"name":"f","arguments":{}}</tool_call>' },
    ])
  })
})

describe('files and commands', () => {
  const xml = { syntax: 'xml' } as const
  const written =
    '<tool name="write_file"><arguments><arg name="path">a.html</arg><arg name="content"><p>"1 &lt; 2"</p>\n</arg><arg name="mode">7</arg></arguments></tool>'
  const input = { path: 'a.html', content: '<p>"1 &lt; 2"</p>\n', mode: 7 }

  test('are read verbatim, and shown as they arrive', () => {
    const events = read(cutAt(written, [90, 100, 110]), xml)
    expect(endOf(events).content).toEqual([call(input, 'write_file')])
    const deltas = events.filter(({ type }) => type === 'block_delta')
    expect(deltas.length).toBeGreaterThan(2)
  })

  test('may be in their own tags, in markers, or in a sentinel', () => {
    const own = { path: '/a', content: 'x\n' }
    expect(contentOf('<write_file path="/a">x\n</write_file>', xml)).toEqual([
      call(own, 'write_file'),
    ])
    const marked = `<tool name="write_file"><arguments><arg name="path">/a</arg><arg name="content">\n__START_CONTENT__\nx\n__END_CONTENT__\n</arg></arguments></tool>`
    expect(contentOf(marked, xml)).toEqual([call(own, 'write_file')])
    const sentinel = '[[SEG_START {"type":"write_file","path":"/a"}]]x\n[[SEG_END]]'
    expect(contentOf(sentinel, { syntax: 'sentinel' })).toEqual([call(own, 'write_file')])
    const header =
      '[[SEG_START {"type":"tool","tool_name":"get_weather","arguments":{"city":"Oslo"}}]][[SEG_END]]'
    expect(contentOf(header, { syntax: 'sentinel' })).toEqual([call({ city: 'Oslo' })])
  })

  test('have no content in a self-closing tag, and an empty one in an empty element', () => {
    const [absent, empty] = ['<write_file path="/a"/>', '<write_file path="/a"></write_file>'].map(
      (said) => contentOf(said, xml),
    )
    expect(absent).toEqual([call({ path: '/a' }, 'write_file')])
    expect(empty).toEqual([call({ path: '/a', content: '' }, 'write_file')])
  })

  test('are never run in part', () => {
    for (let end = 0; end < written.length; end++) {
      const events = read(written.slice(0, end), xml)
      for (const event of events)
        if (event.type === 'block_end' && event.kind === 'tool_call')
          expect(() => JSON.parse(event.inputText ?? '{}')).toThrow(SyntaxError)
      const { content } = endOf(readCut(written.slice(0, end), xml))
      expect(content.filter(({ type }) => type === 'tool_use')).toEqual([])
    }
  })

  test('are ordinary calls if the tool has other parameters', () => {
    const other = {
      ...file,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    }
    const said = '<tool name="write_file"><arguments><arg name="text">x</arg></arguments></tool>'
    const { content } = endOf(readAnswer([said], [other], xml))
    expect(content).toEqual([call({ text: 'x' }, 'write_file')])
  })
})

describe('unreadable calls', () => {
  test('keep their arguments as written, for the tool to reject', () => {
    const events = read('<tool name="get_weather"><arguments>{"city": Oslo}</arguments></tool>', {
      syntax: 'xml',
    })
    const end = events.find(({ type }) => type === 'block_end')
    expect(end).toMatchObject({
      kind: 'tool_call',
      content: { name: 'get_weather', input: {} },
      inputText: '<arguments>{"city": Oslo}</arguments>',
    })
    expect(events).toContainEqual(expect.objectContaining({ type: 'notice' }))
  })

  test('in JSON without a marker are text if they name no tool', () => {
    const said =
      'Take {"tool": "hammer"} or {"tool": {"function": "get_weather", "parameters": {}}}.'
    expect(contentOf(said, { syntax: 'json' })).toEqual([
      { type: 'text', text: 'Take {"tool": "hammer"} or ' },
      call({}),
      { type: 'text', text: '.' },
    ])
  })
})

describe('a call without an end', () => {
  const marked =
    '<tool name="write_file"><arg name="path">/a</arg><arg name="content">__START_CONTENT__\nx</arg></tool>'
  const calls: readonly (readonly [TextRequestOptions['syntax'], string, string])[] = [
    ['xml', marked, 'write_file'],
    ['xml', '<write_file path="/a">x', 'write_file'],
    ['xml', '<tool name="write_file">', 'write_file'],
    ['xml', '<tool name="get_weather"><city>Oslo</city>', 'get_weather'],
    ['xml', '<tool name="get_weather">', 'get_weather'],
    ['xml', '<tool name="get_weather">{"city":"Oslo"}', 'get_weather'],
    ['sentinel', '[[SEG_START {"type":"write_file","path":"/a"}]]x', 'write_file'],
    ['hermes', '<tool_call>{"name":"get_weather","arguments":{"city":"Os', 'get_weather'],
  ]

  test.each(calls)(
    'in %s is refused if the message is complete: %s',
    (syntax = 'xml', said, name) => {
      const events = read(said, { syntax })
      expect(endOf(events)).toMatchObject({
        content: [{ name, input: {} }],
        stopReason: 'tool_use',
      })
      expect(endOf(events).cut).toBeUndefined()
      const refused = events.find(
        (event) => event.type === 'block_end' && event.kind === 'tool_call',
      )
      expect(refused).toMatchObject({ inputText: expect.stringContaining('has no end') })
      expect(events).toContainEqual(expect.objectContaining({ type: 'notice' }))
    },
  )

  test.each(calls)('in %s stays open if the message was cut: %s', (syntax = 'xml', said, name) => {
    const end = endOf(readCut(said, { syntax }))
    expect(end).toMatchObject({ content: [], stopReason: null, cut: [{ content: { name } }] })
  })

  test('is refused next to a complete call', () => {
    const whole = '<tool name="get_weather"><city>Oslo</city></tool>'
    expect(contentOf(`${whole}\n${marked}`, { syntax: 'xml' })).toEqual([
      call({ city: 'Oslo' }),
      call({}, 'write_file'),
    ])
  })

  test('is omitted without a name, and the host gets a notice', () => {
    const events = read('{"tool": {"func', { syntax: 'json' })
    expect(endOf(events).content).toEqual([])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', raw: { source: '{"tool": {"func' } }),
    )
  })
})

describe('calls in Markdown code', () => {
  const hermesCall = '<tool_call>{"name":"get_weather","arguments":{}}</tool_call>'
  const fenced = `Here:\n\`\`\`\n${hermesCall}\n\`\`\`\n`
  const noticesOf = (events: readonly ModelEvent[]) =>
    events.flatMap((event) => (event.type === 'notice' ? [event.raw] : []))
  const callsOf = (events: readonly ModelEvent[]) =>
    endOf(events).content.filter(({ type }) => type === 'tool_use')

  test('are text, and the host gets a notice', () => {
    const events = read(fenced, { syntax: 'hermes' })
    expect(endOf(events).content).toEqual([{ type: 'text', text: fenced }])
    expect(endOf(events).stopReason).toBe('end_turn')
    expect(noticesOf(events)).toEqual([{ name: 'get_weather', reason: 'fence' }])
  })

  test('are refused on request, so that the model gets an explanation', () => {
    const events = read(fenced, { syntax: 'hermes', hiddenCalls: 'refuse' })
    expect(callsOf(events)).toEqual([call({})])
    expect(endOf(events).stopReason).toBe('tool_use')
    const refused = events.find((event) => event.type === 'block_end' && event.kind === 'tool_call')
    expect(refused).toMatchObject({ inputText: expect.stringContaining('was not run') })
  })

  test('are not refused next to a call that counts, in inline code, or without the tool', () => {
    const texts = [
      `${fenced}${hermesCall}`,
      `Use \`${hermesCall}\`.`,
      fenced.replace('get_', 'no_'),
    ]
    const counts = texts.map((text) =>
      callsOf(read(text, { syntax: 'hermes', hiddenCalls: 'refuse' })),
    )
    expect(counts.map(({ length }) => length)).toEqual([1, 0, 0])
    expect(noticesOf(read(texts[2] ?? '', { syntax: 'hermes' }))).toEqual([])
  })
})

describe('a model’s own blocks', () => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
  const thought = { type: 'thinking', thinking: 'Hm', signature: 'sig' }
  const own: ModelEvent[] = [
    { type: 'message_start', messageId: 'm', model: 'x' },
    { type: 'block_start', block: 0, kind: 'thinking', content: { ...thought, thinking: '' } },
    { type: 'block_delta', block: 0, text: 'Hm' },
    { type: 'block_end', block: 0, kind: 'thinking', content: thought },
    { type: 'block_start', block: 1, kind: 'text', content: { type: 'text', text: '' } },
    { type: 'block_citation', block: 1, citation: { type: 'page', cited_text: 'c' } },
    { type: 'block_delta', block: 1, text: 'Look <too' },
    { type: 'block_end', block: 1, kind: 'text', content: { type: 'text', text: 'Look <too' } },
    { type: 'block_start', block: 2, kind: 'server_tool_call', content: search },
    { type: 'block_delta', block: 2, text: '{}' },
    { type: 'block_end', block: 2, kind: 'server_tool_call', content: search, inputText: '{}' },
    { type: 'notice', message: 'odd' },
    { type: 'block_start', block: 3, kind: 'text', content: { type: 'text', text: '' } },
    { type: 'block_delta', block: 3, text: '<tool_call>{"name":"get_weather","arg' },
    { type: 'block_delta', block: 3, text: 'uments":{}}</tool_call> <th' },
  ]

  test('pass unchanged, with indices that account for the calls between them', () => {
    const end: ModelEvent = {
      type: 'message_end',
      outcome: 'failed',
      stopReason: null,
      usage,
      content: [],
      cut: [{ block: 3, kind: 'text', content: { type: 'text', text: '' }, text: 'all' }],
      details: { a: 1 },
      failure: { type: 'overloaded', message: 'Too much.', retriable: true },
      retry: 'continue',
    }
    const reader = toReader(tools, { syntax: 'hermes' })
    const events = [...own, end].flatMap((event) => reader.feed(event))
    checkModelEvents(events)
    expect(endOf(events)).toMatchObject({
      outcome: 'failed',
      stopReason: null,
      usage,
      details: { a: 1 },
      failure: { type: 'overloaded' },
      retry: 'continue',
      content: [
        thought,
        { type: 'text', text: 'Look <too', citations: [{ type: 'page', cited_text: 'c' }] },
        search,
        call({}),
        { type: 'text', text: ' <th' },
      ],
      cut: [{ block: 4, kind: 'text', text: ' <th' }],
    })
    expect(events).toContainEqual({ type: 'notice', message: 'odd' })
    expect(events).toContainEqual({
      type: 'block_citation',
      block: 1,
      citation: { type: 'page', cited_text: 'c' },
    })
  })

  test('may come in the middle of a call', () => {
    const reader = toReader(tools, { syntax: 'hermes' })
    const events = [
      own[0],
      { type: 'block_start', block: 0, kind: 'text', content: { type: 'text', text: '' } },
      {
        type: 'block_delta',
        block: 0,
        text: '<tool_call>{"name":"get_weather","arguments":{"city":',
      },
      { type: 'block_end', block: 0, kind: 'text', content: { type: 'text', text: '' } },
      { type: 'block_start', block: 1, kind: 'thinking', content: { ...thought, thinking: '' } },
      { type: 'block_end', block: 1, kind: 'thinking', content: { ...thought, thinking: '' } },
      { type: 'block_start', block: 2, kind: 'text', content: { type: 'text', text: '' } },
      { type: 'block_delta', block: 2, text: '"Oslo"}}</tool_call>' },
      { type: 'block_end', block: 2, kind: 'text', content: { type: 'text', text: '' } },
      {
        type: 'message_end',
        outcome: 'finished',
        stopReason: 'end_turn',
        usage,
        content: [],
        retry: 'none',
      },
    ] as ModelEvent[]
    const read = events.flatMap((event) => reader.feed(event))
    checkModelEvents(read)
    expect(endOf(read).content).toEqual([call({ city: 'Oslo' }), { ...thought, thinking: '' }])
  })
})
