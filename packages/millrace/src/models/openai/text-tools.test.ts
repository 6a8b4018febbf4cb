import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf } from '../../../test/support/models/anthropic-events.ts'
import {
  delta,
  finish,
  readChunks,
  readCut,
  text,
} from '../../../test/support/models/chat-chunks.ts'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import { cutAt, cutList } from '../../../test/support/cut-text.ts'
import type { Message, ModelRequest } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { presets } from '../../segments/index.ts'
import { type TextRequestOptions, toTextRequest } from '../text-tools/index.ts'
import type { ToolNotation } from '../text-tools/tool-notation.ts'

const weather = {
  name: 'get_weather',
  description: 'Tells the weather.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
  },
}

const question: Message = { role: 'user', content: [{ type: 'text', text: 'Rain?' }] }
const request: ModelRequest = { messages: [question], tools: [weather], maxTokens: 100 }

function toText(
  options: TextRequestOptions = {},
  asked: ModelRequest = request,
  modelId = 'qwen3',
) {
  return toTextRequest(asked, { modelId, options })
}

/** The events of a model that writes this text. */
function readText(answer: string, options: TextRequestOptions = {}, cuts: readonly number[] = []) {
  const { segments } = toText(options)
  const events = readChunks([...cutAt(answer, cuts).map(text), finish()], { segments })
  checkModelEvents(events)
  return events
}

const call = (input: JsonObject, name = 'get_weather', id = 'made_1') => ({
  type: 'tool_use',
  id,
  name,
  input,
})

describe('the prompt', () => {
  test('describes the tools after the system prompt, in the notation of the model', () => {
    const { request: written } = toText({}, { ...request, system: 'Be brief.' })
    expect(written.tools).toBeUndefined()
    expect(written.system).toMatch(/^Be brief\.\n\n# Tools/)
    expect(written.system).toContain('## get_weather\n\nTells the weather.')
    expect(written.system).toContain('<tool_call>\n{"name":"name_of_the_tool"')
    const { request: other } = toText({}, request, 'mistral-small')
    expect(other.system).toContain('[TOOL_CALLS]name_of_the_tool[ARGS]')
  })

  test('contains no tool description without tools', () => {
    expect(toText({}, { messages: [question], maxTokens: 9 }).request.system).toBeUndefined()
  })

  test('has calls and results in the notation of the model', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://mill.example/a.png' } }
    const messages: Message[] = [
      question,
      { role: 'assistant', content: [{ type: 'text', text: 'Look:' }, call({ city: 'Oslo' })] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'made_1',
            content: [{ type: 'text', text: 'no such city' }, image],
            is_error: true,
          },
        ],
      },
    ]
    expect(toText({}, { ...request, messages }).request.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Look:' },
          {
            type: 'text',
            text: '\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>',
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: '<tool_response>\n{"name":"get_weather","content":"Error: no such city"}\n</tool_response>',
          },
          image,
        ],
      },
    ])
  })

  test('uses and parses the default notation if a format has none', () => {
    const { request: written, segments } = toText({ formats: ['kimi-k2'] })
    expect(written.system).toContain('<tool_call>')
    expect(segments.formats).toEqual([presets['kimi-k2'], presets.hermes])
  })

  test('accepts a custom notation', () => {
    const notation: ToolNotation = {
      writeCall: (name) => `CALL ${name}`,
      writeResult: ({ text: answer }) => `GOT ${answer}`,
    }
    const { request: written, segments } = toText({ formats: ['kimi-k2'], notation })
    expect(written.system).toContain('CALL name_of_the_tool')
    expect(segments.formats).toEqual([presets['kimi-k2']])
  })
})

describe('the answer', () => {
  test('has reasoning, text and calls; files and commands are calls too', () => {
    const answer =
      '<think>A file.</think>Here:\n<tool_call>\n{"name": "write_file", "arguments": {"path": "/a", "content": "x\\n"}}\n</tool_call>'
    const events = readText(answer)
    expect(endOf(events)).toMatchObject({
      outcome: 'finished',
      stopReason: 'tool_calls',
      content: [
        { type: 'thinking', thinking: 'A file.' },
        { type: 'text', text: 'Here:\n' },
        call({ path: '/a', content: 'x\n' }, 'write_file'),
      ],
    })
  })

  test('converts text arguments to their types', () => {
    const answer =
      '<tool_call><function=get_weather><parameter=city>7</parameter><parameter=days>7</parameter></function></tool_call>'
    expect(endOf(readText(answer)).content).toEqual([call({ city: '7', days: 7 })])
  })

  test('keeps the ids of a model if they are new', () => {
    const kimi = (id: string) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:${id}<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`
    const [block] = endOf(readText(kimi('0'), { formats: ['kimi-k2'] })).content
    expect(block).toMatchObject({ name: 'get_weather', id: expect.stringMatching(/\S/) })
  })

  test.each<[string, TextRequestOptions['formats'], string, JsonObject]>([
    [
      'a file in tags',
      ['seed-xml'],
      '<write_file path="/a.md">one\ntwo</write_file>',
      call({ path: '/a.md', content: 'one\ntwo' }, 'write_file'),
    ],
    [
      'a call whose arguments are XML',
      ['seed-xml'],
      '<tool name="get_weather"><arguments><arg name="city">Oslo</arg></arguments></tool>',
      call({ city: 'Oslo' }),
    ],
  ])('%s becomes a call when it is complete', (_name, formats = [], answer, expected) => {
    expect(endOf(readText(answer, { formats })).content).toEqual([expected])
    const { segments } = toText({ formats })
    const cut = readChunks([text(answer.slice(0, -4)), finish('length')], { segments })
    expect(endOf(cut).content.filter(({ type }) => type === 'tool_use')).toEqual([])
  })

  test('may have native calls and reasoning fields in addition to the text', () => {
    const { segments } = toText()
    const native = { index: 0, id: 'c1', function: { name: 'get_weather', arguments: '{}' } }
    const chunks = [delta({ reasoning: 'Hm' }), text('Look'), delta({ tool_calls: [native] })]
    expect(endOf(readChunks([...chunks, finish()], { segments })).content).toEqual([
      { type: 'thinking', thinking: 'Hm', openai: { field: 'reasoning' } },
      { type: 'text', text: 'Look' },
      call({}, 'get_weather', 'c1'),
    ])
  })

  test('that is interrupted releases buffered text, and leaves the call open', () => {
    const { segments } = toText()
    expect(endOf(readCut([text('Half <tool_c')], { segments })).content).toEqual([
      { type: 'text', text: 'Half <tool_c' },
    ])
    const answer = 'So:<tool_call>{"name": "get_weather", "arguments": {"city": "Os'
    for (const events of [
      readCut([text(answer)], { segments }),
      readChunks([text(answer), finish('length')], { segments }),
    ]) {
      checkModelEvents(events)
      const end = endOf(events)
      expect(end.content).toEqual([{ type: 'text', text: 'So:' }])
      expect(end.cut).toMatchObject([{ kind: 'tool_call', text: '{"city": "Os' }])
      expect(end.stopReason).not.toBe('tool_calls')
    }
  })

  test('that ends inside a call gets an error result for it', () => {
    const { segments } = toText()
    const answer = 'So:<tool_call>{"name": "get_weather", "arguments": {"city": "Os'
    const events = readChunks([text(answer), finish('stop')], { segments })
    checkModelEvents(events)
    expect(endOf(events)).toMatchObject({
      stopReason: 'tool_calls',
      content: [{ text: 'So:' }, { name: 'get_weather', input: {} }],
    })
    const refused = events.find((event) => event.type === 'block_end' && event.kind === 'tool_call')
    expect(refused).toMatchObject({
      inputText: expect.stringMatching(/^\{"city": "Os\n\nThis call/),
    })
  })

  test('is the same for any chunks, and at any end no incomplete call is run', () => {
    const answer =
      '<think>Hm.</think>One: <tool_call>{"name":"get_weather","arguments":{"city":"Zürich"}}</tool_call> two <b> <tool_call>{"name":"get_weather","arguments":{}}</tool_call>'
    const whole = endOf(readText(answer))
    expect(whole.content.filter(({ type }) => type === 'tool_use')).toHaveLength(2)
    fc.assert(
      fc.property(cutList, fc.nat({ max: answer.length - 1 }), (cuts, place) => {
        expect(endOf(readText(answer, {}, cuts))).toEqual(whole)
        const { segments } = toText()
        const events = readCut(cutAt(answer.slice(0, place), cuts).map(text), { segments })
        checkModelEvents(events)
        for (const block of endOf(events).content) {
          if (block.type === 'tool_use') expect(whole.content).toContainEqual(block)
        }
      }),
    )
  })
})
