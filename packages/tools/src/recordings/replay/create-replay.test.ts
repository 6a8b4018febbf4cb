import { Anthropic } from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { OpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import { recordFetch } from '../../../../millrace/test/support/models/record-fetch.ts'
import { createVirtualClock } from '../../../../millrace/test/support/virtual-clock.ts'
import { anthropic } from 'millrace/anthropic'
import { createEmulator } from '../../emulator/index.ts'
import type { ModelEvent } from 'millrace/anthropic'
import { openai } from 'millrace/openai'
import { createExchangeRecorder, createReplay, decodeRecording, type Recording } from '../index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly body?: object
  readonly keepsPrompts?: boolean
}

/** Creates a recording of a question, answered with a text. */
function recordingOf(
  answer: string,
  { method = 'POST', path = '/v1/messages', ...asked }: Asked = {},
): Recording {
  let file = ''
  const { keepsPrompts = true, body } = asked
  const request = { method, path, headers: {} }
  const recorder = createExchangeRecorder({
    request,
    keepsPrompts,
    write: (line) => (file += line),
  })
  if (body !== undefined) recorder.feedRequest(encode(JSON.stringify(body)))
  recorder.openResponse({ status: 200, headers: { 'content-type': 'text/event-stream' } })
  recorder.feedResponse(encode(answer))
  recorder.close('complete')
  return decodeRecording(file)
}

const prompt = (content: string, more: object = {}) => ({
  model: 'm',
  stream: true,
  messages: [{ role: 'user', content }],
  ...more,
})

async function ask(replay: ReturnType<typeof createReplay>, body: object, path = '/v1/messages') {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'x-api-key': 'any' } }
  const response = await replay.fetch(`http://replay.test${path}`, init)
  return response.status === 200 ? response.text() : response.status
}

describe('answers a request', () => {
  test('by its model and prompt, regardless of other fields and of the order', async () => {
    const recordings = ['a', 'b', 'c'].map((text) => recordingOf(text, { body: prompt(text) }))
    const replay = createReplay(recordings, { pace: 'instant' })
    const moved = {
      max_tokens: 7,
      messages: [{ content: 'c', cache_control: { type: 'ephemeral' }, role: 'user' }],
      stream: true,
      model: 'm',
    }
    expect(await ask(replay, moved, '/v1/messages?beta=true')).toBe('c')
    expect(await ask(replay, prompt('a'))).toBe('a')
    expect(await ask(replay, prompt('b', { metadata: { user_id: 'x' } }))).toBe('b')
  })

  test('in rotation, if several recordings answer the same prompt', async () => {
    const recordings = ['1', '2'].map((text) => recordingOf(text, { body: prompt('same') }))
    const replay = createReplay(recordings, { pace: 'instant' })
    const answers = [await ask(replay, prompt('same')), await ask(replay, prompt('same'))]
    expect([...answers, await ask(replay, prompt('same'))]).toEqual(['1', '2', '1'])
  })

  test('by a prompt that was recorded as lengths, or with a secret in it', async () => {
    const secret = `sk-ant-${'a1'.repeat(30)}`
    const recordings = [
      recordingOf('first', { body: prompt('something else') }),
      recordingOf('lengths', { body: prompt('Grind!'), keepsPrompts: false }),
      recordingOf('secret', { body: prompt(`My key is ${secret}`) }),
    ]
    const replay = createReplay(recordings, { pace: 'instant' })
    expect(await ask(replay, prompt('Grind!'))).toBe('lengths')
    expect(await ask(replay, prompt(`My key is ${secret}`))).toBe('secret')
  })

  test('otherwise in order by the request at the same path, and by bodies without a request', async () => {
    const chosen: unknown[] = []
    const replay = createReplay(
      [
        recordingOf('one', { body: prompt('x') }),
        decodeRecording('data: alone\n\n'),
        recordingOf('other', { path: '/v1/other', body: prompt('y') }),
        recordingOf('two', { body: prompt('z') }),
      ],
      { pace: 'instant', onRequest: (_, choice) => chosen.push(choice?.reason ?? 'none') },
    )
    const answers: unknown[] = []
    for (let count = 0; count < 4; count++) answers.push(await ask(replay, prompt('new')))
    expect(answers).toEqual(['one', 'data: alone\n\n', 'two', 'one'])
    // A match by prompt advances the order too.
    expect(await ask(replay, prompt('z'))).toBe('two')
    expect(await ask(replay, prompt('new'))).toBe('one')
    expect(chosen).toEqual(['order', 'order', 'order', 'order', 'prompt', 'order'])
  })

  test('with an error and the remedy, if no recording matches', async () => {
    const chosen: unknown[] = []
    const replay = createReplay([decodeRecording('data: a\n\n')], {
      onRequest: (_, choice) => chosen.push(choice),
    })
    const response = await replay.fetch('http://replay.test/v1/models')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringContaining('GET /v1/models') },
    })
    expect(await ask(replay, prompt('x', { stream: false }))).toBe(404)
    expect(chosen).toEqual([undefined, undefined])
  })

  test('also without a body', async () => {
    const models = recordingOf('[]', { method: 'GET', path: '/v1/models' })
    const replay = createReplay([recordingOf('x', { body: prompt('x') }), models], {
      pace: 'instant',
    })
    const response = await replay.fetch('http://replay.test/v1/models?limit=5')
    expect(await response.text()).toBe('[]')
  })
})

const timed: Recording = {
  response: { status: 200, headers: {}, waitMs: 300 },
  chunks: [0, 10, 10, 400].map((ms, index) => ({ ms, bytes: encode(String(index)) })),
  end: 'complete',
  endMs: 500,
}

const askTimed = { method: 'POST', body: JSON.stringify(prompt('x')) }

describe('time', () => {
  test.each([
    ['own' as const, [300, 10, 390, 100]],
    [10, [30, 1, 39, 10]],
    [0.5, [600, 20, 780, 200]],
    ['instant' as const, []],
  ])('a pace of %s scales the times of the recording', async (pace, sleeps) => {
    const clock = createVirtualClock()
    const replay = createReplay([timed], { pace, clock })
    expect(await (await replay.fetch('http://replay.test/', askTimed)).text()).toBe('0123')
    expect(clock.sleeps).toEqual(sleeps)
  })

  test('a slow reader does not delay later chunks', async () => {
    const clock = createVirtualClock()
    const response = await createReplay([timed], { clock }).fetch('http://replay.test/', askTimed)
    const reader = response.body?.getReader()
    await reader?.read()
    await clock.sleep(395, new AbortController().signal)
    while ((await reader?.read())?.done !== true);
    expect(clock.sleeps).toEqual([300, 395, 5, 100])
  })

  test('rejects an invalid pace', () => {
    expect(() => createReplay([], { pace: 0 })).toThrow('pace must be own, instant or above 0')
    expect(() => createReplay([], { pace: NaN })).toThrow('pace must be')
  })
})

describe('an end', () => {
  test.each(['cut', 'error'] as const)(
    'a recorded %s is repeated, after every chunk',
    async (end) => {
      const replay = createReplay([{ ...timed, end }], { pace: 'instant' })
      const response = await replay.fetch('http://replay.test/', askTimed)
      let text = ''
      const read = async () => {
        for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
      }
      await expect(read()).rejects.toMatchObject({ code: 'connection_lost' })
      expect(text).toBe('0123')
    },
  )

  test('of the client stops the replay while it waits', async () => {
    const stop = new AbortController()
    const slow = { ...timed, chunks: [{ ms: 1_000_000, bytes: encode('late') }] }
    const replay = createReplay([slow], { pace: 'own' })
    const early = replay.fetch('http://replay.test/', { ...askTimed, signal: AbortSignal.abort() })
    await expect(early).rejects.toThrow('aborted')
    const quick = createReplay([{ ...slow, response: { ...slow.response, waitMs: 0 } }])
    const response = await quick.fetch('http://replay.test/', { ...askTimed, signal: stop.signal })
    const read = response.text()
    stop.abort(new Error('enough'))
    await expect(read).rejects.toThrow('enough')
  })

  test('without a body has no body', async () => {
    const empty = { ...timed, response: { ...timed.response, status: 204 }, chunks: [] }
    const response = await createReplay([empty], { pace: 'instant' }).fetch(
      'http://replay.test/',
      askTimed,
    )
    expect([response.status, response.body]).toEqual([204, null])
  })
})

test('keeps the boundaries of chunks', async () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(chunks, async (pieces) => {
      const recording = { ...timed, chunks: pieces.map((bytes) => ({ ms: 0, bytes })) }
      const replay = createReplay([recording], { pace: 'instant' })
      const response = await replay.fetch('http://replay.test/', askTimed)
      const read: Uint8Array[] = []
      for await (const chunk of response.body ?? []) read.push(chunk)
      expect(read).toEqual(pieces)
    }),
  )
})

test('omits headers of the connection and redacted headers', async () => {
  const headers = {
    'content-type': 'text/plain',
    'content-length': '99',
    'transfer-encoding': 'chunked',
    'set-cookie': 'redacted',
    'request-id': 'req_1',
  }
  const recording = { ...timed, response: { ...timed.response, headers } }
  const response = await createReplay([recording], { pace: 'instant' }).fetch(
    'http://replay.test/',
    askTimed,
  )
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/plain',
    'request-id': 'req_1',
  })
})

const demos = [
  '/demo thinking',
  '/demo tools',
  '/demo citations',
  '/demo max-tokens',
  '/demo refusal',
]

describe('the official clients read the same from a replay as from the original', () => {
  test.each(demos)('Anthropic, %s', async (content) => {
    const { fetch, recordings } = recordFetch(createEmulator({ pace: 'instant' }).fetch)
    const params = {
      model: 'any',
      max_tokens: 5000,
      messages: [{ role: 'user' as const, content }],
    }
    const clientOf = (inner: typeof fetch) =>
      new Anthropic({ apiKey: 'any', fetch: inner, maxRetries: 0 })
    const original = await clientOf(fetch).messages.stream(params).finalMessage()
    const again = clientOf(createReplay(recordings, { pace: 'instant' }).fetch)
    expect(await again.messages.stream(params).finalMessage()).toEqual(original)
  })

  test('Anthropic, whole messages and errors', async () => {
    const { fetch, recordings } = recordFetch(createEmulator({ pace: 'instant' }).fetch)
    const clientOf = (inner: typeof fetch) =>
      new Anthropic({ apiKey: 'any', fetch: inner, maxRetries: 0 })
    const params = {
      model: 'any',
      max_tokens: 100,
      messages: [{ role: 'user' as const, content: 'Hi' }],
    }
    const bad = { ...params, max_tokens: -1 }
    const original = await clientOf(fetch).messages.create(params)
    const error = await clientOf(fetch)
      .messages.create(bad)
      .catch((reason: Error) => reason)
    const again = clientOf(createReplay(recordings, { pace: 'instant' }).fetch)
    expect(await again.messages.create(params)).toEqual(original)
    expect(error).toMatchObject({ status: 400 })
    expect(recordings.map(({ response }) => response.status)).toEqual([200, 400])
  })

  test('OpenAI', async () => {
    const { fetch, recordings } = recordFetch(createEmulator({ pace: 'instant' }).fetch)
    const clientOf = (inner: typeof fetch) =>
      new OpenAI({ apiKey: 'any', baseURL: 'http://any.test/v1', fetch: inner, maxRetries: 0 })
    const params = { model: 'any', messages: [{ role: 'user' as const, content: '/demo text' }] }
    const original = await clientOf(fetch).chat.completions.stream(params).finalChatCompletion()
    const again = clientOf(createReplay(recordings, { pace: 'instant' }).fetch)
    expect(await again.chat.completions.stream(params).finalChatCompletion()).toEqual(original)
  })
})

describe('our models read from a replay', () => {
  const request = {
    maxTokens: 5000,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: '/demo text' }] }],
  }
  const models = {
    anthropic: (fetch: typeof globalThis.fetch) =>
      anthropic('any', { apiKey: 'any', fetch, maxRetries: 0 }),
    openai: (fetch: typeof globalThis.fetch) =>
      openai('any', { apiKey: 'any', baseURL: 'http://any.test/v1', fetch, maxRetries: 0 }),
  }

  const collect = async (events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
    const all: ModelEvent[] = []
    for await (const event of events) all.push(event)
    return all
  }

  test.each(['anthropic', 'openai'] as const)('%s: the same events', async (name) => {
    const { fetch, recordings } = recordFetch(createEmulator({ pace: 'instant' }).fetch)
    const original = await collect(models[name](fetch).stream(request))
    const replay = createReplay(recordings, { pace: 'instant' })
    expect(await collect(models[name](replay.fetch).stream(request))).toEqual(original)
    expect(original.at(-1)).toMatchObject({ type: 'message_end', outcome: 'finished' })
  })

  test.each(['anthropic', 'openai'] as const)('%s: a recording that was cut', async (name) => {
    const { fetch, recordings } = recordFetch(createEmulator({ pace: 'instant' }).fetch)
    await collect(models[name](fetch).stream(request))
    const cut = recordings.map((recording) => {
      const [first] = recording.chunks
      const bytes = first?.bytes.slice(0, 800) ?? new Uint8Array()
      return { ...recording, chunks: [{ ms: 0, bytes }], end: 'cut' as const }
    })
    const replay = createReplay(cut, { pace: 'instant' })
    const events = await collect(models[name](replay.fetch).stream(request))
    expect(events.at(-1)).toMatchObject({ type: 'message_end', outcome: 'interrupted' })
  })
})
