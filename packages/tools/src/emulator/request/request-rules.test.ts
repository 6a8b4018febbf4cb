import { describe, expect, test } from 'vitest'
import { apiHeaders, postMessage } from '../../../../millrace/test/support/models/emulator-talk.ts'
import type { JsonObject } from 'millrace'
import { createEmulator, type EmulatedRequest } from '../emulator.ts'
import { createRandom } from '../random.ts'
import { redactThinking, signThinking } from '../thinking-signature.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const text = (words: string) => ({ type: 'text', text: words })
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
const tool = { name: 'f', input_schema: { type: 'object' } }

const earlier = { 'anthropic-version': '2023-06-01' }

/** Returns the emulator's verdict on a request: `ok`, or the message of its error. */
async function verdict(more: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await postMessage(createEmulator({ pace: 'instant' }), more, headers)
  const { type, error } = (await response.json()) as { type: string; error?: JsonObject }
  return type === 'message' ? 'ok' : `${response.status} ${String(error?.['message'])}`
}

describe('the two versions', () => {
  const document = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'x' },
  }
  const cited = { ...text('a'), citations: [] }

  test.each([
    ['sampling', { temperature: 1 }, 'temperature'],
    ['sampling at its default', { top_k: 0 }, 'top_k'],
    [
      'a document of the assistant',
      { messages: [user('a'), assistant(document), user('b')] },
      'document',
    ],
    ['citations of the user', { messages: [user([cited])] }, 'citations'],
  ])('only the later version rejects %s', async (_, more, words) => {
    expect(await verdict(more)).toContain(words)
    expect(await verdict(more, earlier)).toBe('ok')
  })

  test('only the later version accepts the role system', async () => {
    const messages = [user('a'), { role: 'system', content: 'b' }]
    expect(await verdict({ messages })).toBe('ok')
    expect(await verdict({ messages }, earlier)).toContain('messages.1.role')
  })

  test('the earlier version checks the range', async () => {
    expect(await verdict({ temperature: 1.5 }, earlier)).toContain('temperature')
    expect(await verdict({ top_p: -1 }, earlier)).toContain('top_p')
  })
})

describe('prefill', () => {
  const messages = [user('a'), assistant(text('b'))]

  test.each(['claude-sonnet-4-5', 'claude-haiku-4-5-20251001', 'claude-opus-4-20250514'])(
    '%s accepts it, but not with tools or white space at its end',
    async (model) => {
      expect(await verdict({ model, messages })).toBe('ok')
      expect(await verdict({ model, messages, tools: [tool] })).toContain('prefill')
      const spaced = [user('a'), assistant(text('b '))]
      expect(await verdict({ model, messages: spaced })).toContain('white space')
    },
  )

  test.each(['claude-opus-4-6', 'claude-sonnet-5', 'claude-haiku-5-5', 'emulator'])(
    '%s rejects it',
    async (model) => expect(await verdict({ model, messages })).toContain('prefill'),
  )
})

describe('server tool calls', () => {
  test.each<[string, object[], string]>([
    ['a pause goes on', [user('a'), assistant(search)], 'ok'],
    ['an answered one', [user('a'), assistant(search, found, text('b')), user('c')], 'ok'],
    [
      'one that nobody answered',
      [user('a'), assistant(search, text('b')), user('c')],
      's1 has no result',
    ],
    [
      'a result without its call',
      [user('a'), assistant(found, text('b')), user('c')],
      's1 has no call',
    ],
    [
      'one that is answered after the results of ours',
      [
        user('a'),
        assistant(search, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
        user([{ type: 'tool_result', tool_use_id: 't1' }]),
        assistant(found, text('b')),
        user('c'),
      ],
      'ok',
    ],
    [
      'one that waits while ours is answered',
      [
        user('a'),
        assistant(search, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
        user([{ type: 'tool_result', tool_use_id: 't1' }]),
      ],
      'ok',
    ],
  ])('%s', async (_, messages, words) => expect(await verdict({ messages })).toContain(words))
})

describe('thinking that is sent back', () => {
  const thought = 'So it must be.'
  const signed = { type: 'thinking', thinking: thought, signature: signThinking(thought) }
  const redacted = { type: 'redacted_thinking', data: redactThinking(createRandom('r')) }
  const back = (block: object) => ({
    messages: [user('a'), assistant(block, text('b')), user('c')],
  })

  test('is accepted unchanged, also thinking of the real API', async () => {
    expect(await verdict(back(signed))).toBe('ok')
    expect(await verdict(back(redacted))).toBe('ok')
    expect(await verdict(back({ ...signed, signature: 'of another model' }))).toBe('ok')
    expect(await verdict(back({ ...redacted, data: 'of another model' }))).toBe('ok')
  })

  test('is rejected if it was changed or never signed', async () => {
    for (const change of [{ thinking: `${thought} ` }, { signature: '' }, { thinking: 1 }])
      expect(await verdict(back({ ...signed, ...change }))).toContain(
        'or its signature was changed',
      )
    const data = `${redacted.data.slice(0, -1)}!`
    expect(await verdict(back({ ...redacted, data }))).toContain('or its signature was changed')
  })

  test('cannot be the last block', async () => {
    const messages = [user('a'), assistant(signed)]
    expect(await verdict({ messages })).toContain('cannot be thinking')
  })
})

describe('parameters', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const image = { type: 'image', source }
  const callOf = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
  const errorOf = (content: unknown, id = 't') => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    is_error: true,
  })
  const withResult = (result: object) => ({
    messages: [user('a'), assistant(callOf('t')), user([result])],
  })

  test.each<[object, string]>([
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ stop_sequences: [' '] }, 'stop_sequences.0'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ thinking: { type: 'hard' } }, 'thinking.type'],
    [{ thinking: { type: 'enabled', budget_tokens: 100 } }, 'at least 1024'],
    [{ thinking: { type: 'enabled', budget_tokens: 9999 } }, 'less than max_tokens'],
    [{ tool_choice: { type: 'auto' } }, 'needs tools'],
    [{ tools: [tool], tool_choice: { type: 'tool', name: 'g' } }, 'no tool g'],
    [{ tools: [tool], tool_choice: 'auto' }, 'tool_choice.type'],
    [{ tools: [tool, tool] }, 'two tools f'],
    [{ tools: [{ ...tool, name: 'a b' }] }, 'tools.0.name'],
    [{ tools: [{ name: 'f' }] }, 'tools.0.input_schema'],
    [{ messages: [user([{ type: 'image' }])] }, 'messages.0.content.0.source'],
    [{ messages: [user([{ text: 'x' }])] }, 'must be a block with a type'],
    [{ messages: [user('a'), assistant({ type: 'tool_use', id: 't', name: 'f' })] }, '.input'],
    [
      { messages: [user([{ type: 'tool_result', tool_use_id: 't', content: [text('')] }])] },
      '0.content.0.text',
    ],
    [{ messages: [user([{ type: 'tool_use', id: 't', name: 'f', input: {} }])] }, 'assistant’s'],
    [{ messages: [user('a'), assistant({ type: 'tool_result', tool_use_id: 't' })] }, 'user’s'],
    [{ messages: [user('a'), assistant(callOf('a:1')), user([errorOf('no', 'a:1')])] }, '0.id'],
    [withResult(errorOf('')), 'must not be empty'],
    [withResult(errorOf([])), 'must not be empty'],
    [withResult({ ...errorOf('x'), content: undefined }), 'must not be empty'],
    [withResult(errorOf([image])), 'must be text'],
    [withResult({ type: 'tool_result', tool_use_id: 't', content: [callOf('u')] }), '0.type'],
    [{ messages: [user([{ ...image, source: { ...image.source, data: '' } }])] }, 'source.data'],
    [
      {
        messages: [user([{ ...image, source: { ...image.source, media_type: 'image/svg+xml' } }])],
      },
      'media_type',
    ],
    [{ tools: [{ ...tool, input_schema: { type: 'object', anyOf: [] } }] }, 'anyOf at its top'],
    [{ system: [text(' ')] }, 'system.0'],
    [{ system: [{ type: 'image' }] }, 'system.0'],
    [
      {
        tools: [{ ...tool, ...mark }],
        system: [{ ...text('a'), ...mark }],
        messages: [user([1, 2, 3].map(() => ({ ...text('a'), ...mark })))],
      },
      'but 5 do',
    ],
    [
      {
        messages: [
          user('a'),
          assistant({ type: 'thinking', thinking: 'x', signature: 'real', ...mark }, text('b')),
          user('c'),
        ],
      },
      'is not allowed on a thinking block',
    ],
  ])('rejects %j', async (more, words) => expect(await verdict(more)).toContain(words))

  test.each<[string, object]>([
    ['adaptive thinking', { thinking: { type: 'adaptive' } }],
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['a server tool', { tools: [{ type: 'web_search_20260318', name: 'web_search' }] }],
    ['a toolset', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }] }],
    ['a tool that must be called', { tools: [tool], tool_choice: { type: 'tool', name: 'f' } }],
    [
      'four marks for the cache',
      { messages: [user([1, 2, 3, 4].map(() => ({ ...text('a'), ...mark })))] },
    ],
    ['instructions in blocks', { system: [text('Be brief.')] }],
    ['an error in words', withResult(errorOf([text('no')]))],
    ['an empty result', withResult({ type: 'tool_result', tool_use_id: 't', content: '' })],
    ['a result with an image', withResult({ ...errorOf([image]), is_error: false })],
    ['a block of tomorrow', { messages: [user([{ type: 'hologram' }, text('a')])] }],
  ])('accepts %s', async (_, more) => expect(await verdict(more)).toBe('ok'))

  test('accepts unknown fields, and reports them as notices', async () => {
    const heard: EmulatedRequest[] = []
    const emulator = createEmulator({ onRequest: (request) => heard.push(request) })
    expect((await postMessage(emulator, { mood: 'good', betas: [] })).status).toBe(200)
    expect(heard).toMatchObject([
      {
        method: 'POST',
        path: '/v1/messages',
        status: 200,
        model: 'm',
        scenario: 'welcome',
        notices: ['unknown field mood'],
        faults: [],
      },
    ])
  })
})

describe('the Models API', () => {
  const get = async (path: string) => {
    const response = await createEmulator().fetch(`http://e.test/v1/models${path}`, {
      headers: apiHeaders,
    })
    return { status: response.status, body: (await response.json()) as JsonObject }
  }

  test('lists models in pages, forwards and backwards', async () => {
    const { body: first } = await get('?limit=5')
    expect(first).toMatchObject({ has_more: true, first_id: 'claude-fable-5-2' })
    const { body: second } = await get(`?limit=5&after_id=${String(first['last_id'])}`)
    const { body: back } = await get(`?limit=5&before_id=${String(second['first_id'])}`)
    expect(back).toEqual({ ...first, has_more: false })
    const { body: all } = await get('?limit=1000')
    expect(all['has_more']).toBe(false)
    expect((all['data'] as unknown[]).slice(5, 10)).toEqual(second['data'])
  })

  test('describes one model, and reports an unknown one', async () => {
    expect((await get('/claude-opus-4-8')).body).toMatchObject({
      type: 'model',
      display_name: 'Claude Opus 4.8',
      line: 'opus',
    })
    expect(await get('/claude-0')).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error' } },
    })
    expect((await get('?limit=0')).status).toBe(400)
  })
})

test('every response carries its id, the organization and the rate limits', async () => {
  const now = () => Date.parse('2026-11-15T12:00:00Z')
  const { headers } = await postMessage(createEmulator({ now }))
  expect(headers.get('request-id')).toMatch(/^req_01/)
  expect(headers.get('anthropic-organization-id')).toMatch(/^[0-9a-f-]{36}$/)
  for (const name of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    expect(Number(headers.get(`anthropic-ratelimit-${name}-limit`))).toBeGreaterThan(0)
    expect(headers.get(`anthropic-ratelimit-${name}-reset`)).toBe('2026-11-15T12:00:00Z')
  }
})

test('accepts at most four blocks with cache_control, wherever they are', async () => {
  const marked = { ...text('a'), cache_control: { type: 'ephemeral' } }
  const plenty = { system: [marked], tools: [{ ...tool, cache_control: { type: 'ephemeral' } }] }
  expect(await verdict({ ...plenty, messages: [user([marked, marked])] })).toBe('ok')
  expect(await verdict({ ...plenty, messages: [user([marked, marked, marked])] })).toMatch(
    /^400 .*cache_control.* 5 /,
  )
})
