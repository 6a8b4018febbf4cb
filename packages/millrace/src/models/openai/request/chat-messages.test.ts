import { describe, expect, test } from 'vitest'
import type { ContentBlock, Message } from '../../../events/index.ts'
import { toChatMessages, type ThinkingReturn } from './chat-messages.ts'

const user = (...content: ContentBlock[]): Message => ({ role: 'user', content })
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content })
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'f', input })
const result = (id: string, content: string | ContentBlock[], is_error = false) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(is_error && { is_error }),
})
const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' }

function write(messages: readonly Message[], thinking: ThinkingReturn = 'with-calls') {
  return toChatMessages({ messages }, { thinking }).messages
}

test('starts with the system prompt', () => {
  const { messages } = toChatMessages(
    { system: 'Be brief.', messages: [user(text('Hi'))] },
    { thinking: 'never' },
  )
  expect(messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ])
})

describe('a user message', () => {
  test('is one text if it has only text, because many servers accept nothing else', () => {
    expect(write([user(text('a'), text('b'))])).toEqual([{ role: 'user', content: 'a\n\nb' }])
  })

  test('has parts if there are images', () => {
    const url = { type: 'url', url: 'https://mill.example/a.png' }
    const blocks = [text('Look'), { type: 'image', source: png }, { type: 'image', source: url }]
    expect(write([user(...blocks)])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://mill.example/a.png' } },
        ],
      },
    ])
  })

  test.each<[string, ContentBlock, unknown]>([
    [
      'a PDF is a file',
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
      },
      [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } }],
    ],
    [
      'a file of the provider is named',
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      [{ type: 'file', file: { file_id: 'file_1' } }],
    ],
    [
      'a text document is text under its title',
      {
        type: 'document',
        title: 'Notes',
        source: { type: 'text', media_type: 'text/plain', data: 'grain' },
      },
      'Notes\n\ngrain',
    ],
    [
      'a document of blocks is its blocks',
      { type: 'document', source: { type: 'content', content: [text('one'), text('two')] } },
      'one\n\ntwo',
    ],
    [
      'a search result is its text with its source',
      {
        type: 'search_result',
        title: 'Mills',
        source: 'https://mill.example',
        content: [text('They turn.')],
      },
      'Mills (https://mill.example)\n\nThey turn.',
    ],
  ])('%s', (_name, block, content) => {
    expect(write([user(block)])).toEqual([{ role: 'user', content }])
  })

  test('omits and names unsupported blocks', () => {
    const messages = [user(text('a'), { type: 'container_upload', file_id: 'f' })]
    const { omitted } = toChatMessages({ messages }, { thinking: 'never' })
    expect([...omitted]).toEqual(['container_upload'])
  })
})

describe('calls and results', () => {
  test('have results first, then the user’s content', () => {
    const messages = [
      user(text('go')),
      assistant(text('Look'), text('ing.'), call('c1', { a: 1 }), call('c2')),
      user(text('and?'), result('c1', 'one'), result('c2', [text('two'), text('three')])),
    ]
    expect(write(messages)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'c2', type: 'function', function: { name: 'f', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: 'two\nthree' },
      { role: 'user', content: 'and?' },
    ])
  })

  test('mark errors and empty results by text', () => {
    const [failed, empty] = write([user(result('c1', 'no such city', true), result('c2', ''))])
    expect(failed).toMatchObject({ content: 'Error: no such city' })
    expect(empty).toMatchObject({ content: '(no output)' })
  })

  test('have images of results in a following user message', () => {
    const messages = [user(result('c1', [{ type: 'image', source: png }]), text('Well?'))]
    expect(write(messages)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '(see the attachments that follow)' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of tool call c1:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'Well?' },
        ],
      },
    ])
  })

  test('return the extra fields of a call, and none of another provider', () => {
    const extra = { extra_content: { google: { thought_signature: 's' } } }
    const own = { ...call('c1'), openai: extra }
    const foreign = { ...call('c2'), caller: { type: 'direct' } }
    const [message] = write([assistant(own, foreign)])
    const plain = { type: 'function', function: { name: 'f', arguments: '{}' } }
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', ...plain, ...extra },
        { id: 'c2', ...plain },
      ],
    })
  })
})

describe('thinking', () => {
  const thought = (thinking: string, openai = {}) => ({ type: 'thinking', thinking, openai })
  const hm = thought('Hm', { field: 'reasoning_content' })

  test('is returned in its field with its calls', () => {
    expect(write([assistant(hm, text('a'))])).toEqual([{ role: 'assistant', content: 'a' }])
    expect(
      write([assistant(hm, thought('!', { field: 'reasoning_content' }), call('c1'))]),
    ).toEqual([expect.objectContaining({ reasoning_content: 'Hm!' })])
    expect(write([assistant(hm, text('a'))], 'always')).toEqual([
      { role: 'assistant', content: 'a', reasoning_content: 'Hm' },
    ])
    expect(write([assistant(hm, call('c1'))], 'never')[0]).not.toHaveProperty('reasoning_content')
  })

  test('leaves an empty field after the first occurrence', () => {
    const messages = [assistant(hm, call('c1')), assistant(call('c2')), assistant(text('a'))]
    expect(write(messages).map((message) => message['reasoning_content'])).toEqual([
      'Hm',
      '',
      undefined,
    ])
    expect(write([assistant(call('c2'))])[0]).not.toHaveProperty('reasoning_content')
  })

  test('keeps the order of its details', () => {
    const [a, b] = ['a', 'b'].map((data) => ({ type: 'reasoning.encrypted', data }))
    const blocks = [a, b].map((detail) => thought('', { reasoning_details: [detail] }))
    expect(write([assistant(...blocks, call('c1'))])[0]).toMatchObject({
      reasoning_details: [a, b],
    })
  })

  test('of another provider is dropped without a notice', () => {
    const foreign = { type: 'thinking', thinking: 'x', signature: 'sig' }
    const messages = [assistant(foreign, text('a')), assistant(foreign)]
    const { messages: written, omitted } = toChatMessages({ messages }, { thinking: 'always' })
    expect(written).toEqual([{ role: 'assistant', content: 'a' }])
    expect([...omitted]).toEqual([])
  })
})
