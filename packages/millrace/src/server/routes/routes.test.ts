import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text, tool } from '../../../test/support/agents/agent-harness.ts'
import { openGuardedServer, send, sessions } from '../../../test/support/servers/guarded-server.ts'
import { readStream, toMessages } from '../../../test/support/frames/read-stream.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { encodeBase64 } from '../files/stored-blocks.ts'
import { createHandler, type Handler } from '../handler.ts'
import { joinViews, withoutThinking, withoutToolInternals } from '../views/view-rules.ts'
import type { HandlerOptions } from '../handler-options.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function openGuarded(options: Partial<HandlerOptions> = {}) {
  const server = await openGuardedServer(options)
  closing.push(server.close)
  return server
}

/** A server with one agent on a scripted model. */
function open(replies: readonly ScriptedReply[], options: Partial<HandlerOptions> = {}) {
  const model = createScriptedModel(replies)
  const agent = createAgent({ name: 'drawing', model, tools: [confirm, draw] })
  const store = createMemoryStore()
  const handler = createHandler({
    agents: { drawing: agent },
    defaultAgent: 'drawing',
    store,
    ...options,
  })
  closing.push(handler.close)
  return { handler, model, store }
}

const picture = new Uint8Array(4_000).map((_, index) => (index * 7919) % 251)
const draw = tool('draw', () => ({
  text: 'drawn',
  images: [{ data: encodeBase64(picture), mediaType: 'image/png' }],
}))

const session = '00000000-0000-4000-8000-00000000000a'
const get = (handler: Handler, path: string, headers: Record<string, string> = {}) =>
  handler.fetch(new Request(`http://localhost${path}`, { headers }))
const ask = async (handler: Handler, prompt: unknown, agent_uuid: string = session) =>
  readStream(await send(handler, '/agent/run', { agent_uuid, user_prompt: prompt }))

interface History {
  readonly conversations: readonly Record<string, unknown>[]
  readonly has_more: boolean
  readonly title: string
}

describe('GET /agent/{uuid}/conversations', () => {
  test('returns the runs in pages, the newest first', async () => {
    const { handler } = open([])
    for (const n of [1, 2, 3, 4, 5]) await ask(handler, `question ${n}`)
    const part = async (query: string): Promise<History> =>
      (await get(handler, `/agent/${session}/conversations?${query}`)).json() as Promise<History>
    const first = await part('limit=2')
    expect(first).toMatchObject({ has_more: true, title: 'question 1' })
    expect(first.conversations).toMatchObject([
      { sequence_number: 5, user_message: 'question 5', final_response: 'done' },
      { sequence_number: 4, stop_reason: 'end_turn', total_steps: 1 },
    ])
    const rest = await part('before=4')
    expect(rest.has_more).toBe(false)
    expect(rest.conversations.map((one) => one['sequence_number'])).toEqual([3, 2, 1])
    expect(await part('before=1')).toMatchObject({ conversations: [], has_more: false })
  })

  test('includes a paused run, which is completed later', async () => {
    const { handler } = open([{ content: [call('c1', 'confirm')] }])
    await ask(handler, 'may I?')
    const last = async () => {
      const response = await get(handler, `/agent/${session}/conversations`)
      return ((await response.json()) as History).conversations
    }
    expect(await last()).toMatchObject([
      { completed_at: null, stop_reason: 'awaiting_frontend_tools' },
    ])
    const results = [{ tool_use_id: 'c1', content: 'yes' }]
    const body = { agent_uuid: session, tool_results: results }
    await readStream(await send(handler, '/agent/tool_results', body))
    expect(await last()).toMatchObject([{ stop_reason: 'end_turn', final_response: 'done' }])
  })
})

describe('GET /agent/{uuid}/times', () => {
  test('returns when the frames of each run were stored, the first run first', async () => {
    let time = 1_000_000
    const { handler } = open([{ content: [call('c1', 'confirm')] }], { now: () => (time += 20) })
    const part = async (query = '') =>
      (await get(handler, `/agent/${session}/times${query}`)).json() as Promise<{
        times: [number, number][]
        has_more: boolean
      }>
    const asked = await ask(handler, 'may I?')
    const results = [{ tool_use_id: 'c1', content: 'yes' }]
    const body = { agent_uuid: session, tool_results: results }
    await readStream(await send(handler, '/agent/tool_results', body))
    const first = await part()
    const again = await ask(handler, 'and now?')
    const { times, has_more } = await part()
    expect(has_more).toBe(false)
    expect(times.slice(0, first.times.length)).toEqual(first.times)
    const ids = times.map(([id]) => id)
    expect(ids[0]).toBe(1)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    expect(ids).toContain((asked.frames.at(-1)?.id ?? NaN) + 1)
    expect(ids).toContain(again.frames[0]?.id)
    const moments = times.map(([, at]) => at)
    expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    expect(await part('?limit=1')).toEqual({
      times: times.slice(first.times.length),
      has_more: true,
    })
    expect(await part('?before=2')).toEqual({ times: first.times, has_more: false })
    const history = (await get(handler, `/agent/${session}/conversations`)).text()
    expect(await history).not.toContain('times')
  })
})

describe('a view applies to all routes of a session', () => {
  const json = async (response: Promise<Response>): Promise<unknown> => (await response).json()
  const viewed = { view: () => joinViews(withoutThinking, withoutToolInternals) }

  test('hidden thinking and tool input are not in the history', async () => {
    const thinking = { type: 'thinking', thinking: 'hush', signature: 's' }
    const replies = [{ content: [thinking, call('c1', 'confirm', { secret: 'hush' })] }]
    const { handler } = open(replies, viewed)
    await ask(handler, 'may I?')
    const history = await json(get(handler, `/agent/${session}/conversations`))
    expect(history).toMatchObject({ conversations: [{ user_message: 'may I?', total_steps: 1 }] })
    const state = await json(get(handler, `/agent/${session}`))
    expect(state).toMatchObject({ pending: [{ tool_use_id: 'c1', input: {} }] })
    expect(JSON.stringify([history, state])).not.toContain('hush')
  })

  test('an image or a file without a frame is not found', async () => {
    const hidden = { view: () => ({ hiddenTypes: ['tool_result_image', 'meta_files'] as const }) }
    const { handler, store } = open([], hidden)
    await ask(handler, 'hello')
    for (const [path, id] of [
      ['images', 'img_0123456789ab'],
      ['files', 'file_1'],
    ] as const) {
      await store.putFile(session, { id, mediaType: 'image/png', bytes: picture })
      expect((await get(handler, `/agent/${session}/${path}/${id}`)).status).toBe(404)
    }
  })

  test('and a hidden prompt is not in a title', async () => {
    const { handler } = open([], { view: () => ({ hiddenFields: { meta_init: ['user_query'] } }) })
    await ask(handler, 'a secret question')
    const received = ['', '/conversations'].map((rest) => get(handler, `/agent/${session}${rest}`))
    const answers = await Promise.all([...received, get(handler, '/agent/sessions')].map(json))
    expect(JSON.stringify(answers)).not.toContain('secret question')
  })
})

describe('[CHUNK-7] images of tools', () => {
  test('are sent by reference, and are stored before the reference is sent', async () => {
    const base = createMemoryStore()
    const named: string[] = []
    const store: typeof base = {
      ...base,
      append: async (append) => {
        for (const line of append.lines) {
          const [id] = /img_[0-9a-f]{32}/.exec(new TextDecoder().decode(line)) ?? []
          if (id === undefined) continue
          named.push(id)
          expect(await base.file(append.session, id)).toBeDefined()
        }
        return base.append(append)
      },
    }
    const { handler } = open([{ content: [call('c1', 'draw')] }], { store })
    const stream = await ask(handler, 'draw')
    expect(stream.isDone).toBe(true)
    const image = toMessages(stream).find(({ type }) => type === 'tool_result_image')
    const src = String(image?.['src'])
    expect(src).toBe(`/agent/${session}/images/${named[0]}`)
    const response = await get(handler, src)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'cache-control': 'private, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  test('are sent only as a reference by a store without files', async () => {
    const errors: unknown[] = []
    const base = createMemoryStore()
    const store = { ...base, putFile: () => Promise.reject(new Error('full')) }
    const { handler } = open([{ content: [call('c1', 'draw')] }], {
      store,
      onError: (error) => errors.push(error),
    })
    const stream = await ask(handler, 'draw')
    const image = toMessages(stream).find(({ type }) => type === 'tool_result_image')
    expect(image?.['src']).toBe(`data:image/png;base64,${encodeBase64(picture)}`)
    expect(errors).toHaveLength(1)
  })
})

test('files of a provider are stored, and have their location in the stream and in the history', async () => {
  const result = {
    type: 'web_search_tool_result',
    tool_use_id: 'srv1',
    content: [{ type: 'code_execution_output', file_id: 'file_011Abc' }],
  }
  const files = {
    read: async () => ({
      filename: '../chart "1".csv',
      mediaType: 'text/csv',
      bytes: new TextEncoder().encode('a,b\n'),
    }),
  }
  const { handler } = open([{ content: [result, text('there')] }], { files })
  const stream = await ask(handler, 'make a file')
  const received = toMessages(stream).find(({ type }) => type === 'meta_files')
  const place = `/agent/${session}/files/file_011Abc`
  expect(JSON.parse(String(received?.delta))).toMatchObject({
    files: [{ storage_location: place }],
  })
  const history = (await (await get(handler, `/agent/${session}/conversations`)).json()) as History
  expect(history.conversations).toMatchObject([{ generated_files: [{ storage_location: place }] }])
  const response = await get(handler, place)
  expect(await response.text()).toBe('a,b\n')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="chart_1.csv"; filename*=UTF-8''chart%201.csv`,
  )
})

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3])
const pdf = new TextEncoder().encode('%PDF-1.7 …')

function formOf(fields: Readonly<Record<string, string>>, ...files: File[]): FormData {
  const form = new FormData()
  for (const file of files) form.append('files[]', file)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

describe('POST /agent/run/multipart', () => {
  test('sends the model the files first and the prompt last, with their detected types', async () => {
    const { handler, model } = open([])
    const form = formOf(
      { agent_uuid: session, user_prompt: 'what is this?' },
      // The content counts, not the type or the name.
      new File([png], 'scan.pdf', { type: 'application/octet-stream' }),
      new File([pdf], 'paper.pdf', { type: 'application/pdf' }),
      new File(['# Notes'], '../notes.md', { type: 'text/markdown' }),
    )
    const stream = await readStream(await send(handler, '/agent/run/multipart', form))
    expect(stream.isDone).toBe(true)
    expect(model.requests[0]?.messages[0]?.content).toMatchObject([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: encodeBase64(png) },
      },
      {
        type: 'document',
        title: 'paper.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: encodeBase64(pdf) },
      },
      {
        type: 'document',
        title: 'notes.md',
        source: { type: 'text', media_type: 'text/plain', data: '# Notes' },
      },
      { type: 'text', text: 'what is this?' },
    ])
    expect(JSON.stringify(stream.frames)).not.toContain(encodeBase64(png))
  })

  test('sends long files by their sizes, in the stream and in the history', async () => {
    const { handler, model } = open([])
    const words = 'word '.repeat(200_000)
    const form = formOf({ agent_uuid: session }, new File([words], 'long.txt'))
    const stream = await readStream(await send(handler, '/agent/run/multipart', form))
    const history = await (await get(handler, `/agent/${session}/conversations`)).text()
    for (const received of [JSON.stringify(stream.frames), history]) {
      expect(received).toContain('[text, 976.6 KB]')
      expect(received.length).toBeLessThan(10_000)
    }
    expect(JSON.stringify(model.requests[0]).length).toBeGreaterThan(1_000_000)
  })

  test('accepts a file without text as a prompt', async () => {
    const { handler, model } = open([])
    const form = formOf({}, new File([png], 'a.png'))
    await readStream(await send(handler, '/agent/run/multipart', form))
    expect(model.requests[0]?.messages[0]?.content).toMatchObject([{ type: 'image' }])
  })

  test('reads a bounded number of files concurrently', async () => {
    const { handler } = open([], { limits: { maxUploads: 1 } })
    let finish = (): void => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        finish = () => controller.close()
      },
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const init = { method: 'POST', headers, body, duplex: 'half' }
    const slow = handler.fetch(new Request('http://localhost/agent/upload', init))
    const form = (): FormData => formOf({}, new File([png], 'a.png'))
    const refused = await send(handler, '/agent/upload', form())
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    finish()
    expect((await slow).status).toBe(400)
    expect((await send(handler, '/agent/upload', form())).status).toBe(200)
  })
})

interface Uploaded {
  readonly agent_uuid: string
  readonly files: readonly { readonly id: string; readonly mime_type: string }[]
}

test('a session whose first prompt was never stored is not found', async () => {
  const { handler, store } = open([])
  // The state after a process that dies in between.
  await store.open(session)
  for (const path of ['', '/conversations', '/stream'])
    expect((await get(handler, `/agent/${session}${path}`)).status).toBe(404)
})

describe('POST /agent/upload', () => {
  test('stores files for the prompts of a session that begins with them', async () => {
    const { handler, model } = open([], { outbound: { fileIds: 'any' } })
    const form = formOf({}, new File([png], 'a.png'), new File(['words'], 'b.txt'))
    const uploaded = (await (await send(handler, '/agent/upload', form)).json()) as Uploaded
    const { agent_uuid: id, files } = uploaded
    const view = await (await get(handler, `/agent/${id}`)).json()
    const idle = { title: '', status: 'ended', stop_reason: null, total_runs: 0 }
    const nothing = { tail: 0, earliest: 1, pending: [], pending_approvals: [], queue: [] }
    expect(view).toEqual({ agent_uuid: id, ...idle, ...nothing })
    const history = await get(handler, `/agent/${id}/conversations`)
    expect(await history.json()).toEqual({ conversations: [], has_more: false, title: '' })
    expect(files).toMatchObject([
      { filename: 'a.png', mime_type: 'image/png', size_bytes: png.length, downloadable: true },
      { filename: 'b.txt', mime_type: 'text/plain', size_bytes: 5, downloadable: true },
    ])
    const [image, document] = files.map(({ id: file_id }) => ({ type: 'file', file_id }))
    const prompt = [
      { type: 'image', source: image },
      { type: 'document', source: document, title: 'Mine', citations: { enabled: true } },
      { type: 'document', source: { type: 'file', file_id: 'file_of_the_provider' } },
      { type: 'text', text: 'compare' },
    ]
    const stream = await ask(handler, prompt, id)
    expect(stream.isDone).toBe(true)
    expect(model.requests[0]?.messages[0]?.content).toMatchObject([
      { type: 'image', source: { type: 'base64', data: encodeBase64(png) } },
      { source: { type: 'text', data: 'words' }, title: 'Mine', citations: { enabled: true } },
      { source: { type: 'file', file_id: 'file_of_the_provider' } },
      { text: 'compare' },
    ])
    const file = await get(handler, `/agent/${id}/files/${files[1]?.id}`)
    expect(await file.text()).toBe('words')
    expect(file.headers.get('content-disposition')).toContain('filename="b.txt"')
  })

  test('does not end the run of its session', async () => {
    const { handler, store } = await openGuarded()
    const before = await store.info(sessions.running)
    const form = formOf({ agent_uuid: sessions.running }, new File(['x'], 'a.txt'))
    expect((await send(handler, '/agent/upload', form)).status).toBe(200)
    // The head counts the bytes.
    const head: unknown = expect.any(String)
    expect(await store.info(sessions.running)).toEqual({ ...before, head })
  })

  test('serves a file with its detected type, and stores files up to the quota', async () => {
    const { handler } = open([], { limits: { maxUploadBytes: 3_000 } })
    const form = formOf({ agent_uuid: session }, new File(['x'.repeat(2_000)], 'a.txt'))
    const { files } = (await (await send(handler, '/agent/upload', form)).json()) as Uploaded
    const source = { type: 'file', file_id: files[0]?.id }
    const wrong = { agent_uuid: session, user_prompt: [{ type: 'image', source }] }
    const refused = await send(handler, '/agent/run', wrong)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('use `document`')
    const document = { type: 'document', source }
    const both = { agent_uuid: session, user_prompt: [document, document] }
    expect((await send(handler, '/agent/run', both)).status).toBe(413)
  })
})

describe('[SSE-9] a reader that reconnects after the last frame', () => {
  const accept = 'text/event-stream'

  /** Reads with the last id of a session minus a number. */
  async function comeBack(name: 'ended' | 'paused' | 'running', headers: object, less = 0) {
    const { handler, store } = await openGuarded()
    const { tail = 0 } = (await store.info(sessions[name])) ?? {}
    const filled = JSON.parse(JSON.stringify(headers).replace('LAST', `${tail - less}`)) as object
    const path = `/agent/${sessions[name]}/stream?cursor=${tail - less}`
    const response = await get(handler, path, { ...filled })
    await response.body?.cancel()
    expect(handler.activity().readers).toBe(0)
    return response.status
  }

  test.each(['ended', 'paused'] as const)('of a run that has %s', async (name) => {
    const own = { accept, 'last-event-id': 'LAST' }
    // An EventSource would reconnect forever.
    expect(await comeBack(name, own)).toBe(204)
    expect(await comeBack(name, own, 1)).toBe(200)
    // All others wait for [DONE].
    expect(await comeBack(name, { accept })).toBe(200)
    expect(await comeBack(name, { accept, 'last-event-id': '' })).toBe(200)
    expect(await comeBack(name, { 'last-event-id': 'LAST' })).toBe(200)
    expect(await comeBack(name, { ...own, accept: `application/json, ${accept}` })).toBe(200)
  })

  test('of an active run waits for more', async () => {
    expect(await comeBack('running', { accept, 'last-event-id': 'LAST' })).toBe(200)
  })
})

describe('POST /agent/tool_claims', () => {
  test('grants one of several tabs a call, and the first result counts, from any tab', async () => {
    const { handler } = await openGuarded()
    const { paused } = sessions
    const claim = async (client_id: string) => {
      const body = { agent_uuid: paused, tool_use_id: 'c1', client_id }
      const response = await send(handler, '/agent/tool_claims', body)
      return { status: response.status, ...((await response.json()) as object) }
    }
    const tabs = Array.from({ length: 20 }, (_, n) => `tab${n}`)
    const claims = await Promise.all(tabs.map(claim))
    expect(claims.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(claims[0]).toMatchObject({ claimed: true, expires_at: expect.any(String) })
    expect(claims[1]).toMatchObject({ status: 409, error: { client_id: 'tab0' } })
    expect(await claim('tab0')).toMatchObject({ claimed: true })
    const results = [{ tool_use_id: 'c1', content: 'from tab7' }]
    const body = { agent_uuid: paused, tool_results: results }
    const stream = await readStream(await send(handler, '/agent/tool_results', body))
    expect(stream.isDone).toBe(true)
    expect(await claim('tab0')).toMatchObject({ status: 404 })
  })

  test('does not affect the lease', async () => {
    const { handler, store } = await openGuarded()
    const before = store.changes.length
    const body = { agent_uuid: sessions.paused, tool_use_id: 'c1', client_id: 'tab1' }
    expect((await send(handler, '/agent/tool_claims', body)).status).toBe(200)
    expect(store.changes.slice(before)).toEqual(['claim'])
  })
})

describe('a token', () => {
  const path = `/agent/${sessions.ended}`

  test('is required everywhere except on routes without content', async () => {
    const { reopen } = await openGuarded()
    const handler = reopen({ token: 's3cret' })
    const refused = await get(handler, path)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="millrace"')
    expect((await get(handler, '/nowhere')).status).toBe(401)
    expect((await get(handler, path, { authorization: 'Bearer s3cret' })).status).toBe(200)
    expect((await get(handler, path, { cookie: 'millrace_token=s3cret' })).status).toBe(200)
    expect((await get(handler, '/openapi.json')).status).toBe(200)
    const health = await get(handler, '/health')
    expect(await health.json()).toEqual({ status: 'healthy' })
    const received = await get(handler, '/health', { authorization: 'Bearer s3cret' })
    expect(await received.json()).toHaveProperty('active_runs')
  })

  test('is not required for a preflight', async () => {
    const { reopen } = await openGuarded()
    const handler = reopen({ token: 's3cret', allowedOrigins: ['https://app.example'] })
    const headers = { origin: 'https://app.example', host: 'localhost' }
    const init = { method: 'OPTIONS', headers }
    const response = await handler.fetch(new Request('http://localhost/agent/run', init))
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toContain('authorization')
  })
})

describe('limits of a user', () => {
  const who = (request: Request) => request.headers.get('x-user')
  const as = (user: string) => ({ 'x-user': user })
  const start = (handler: Handler, user: string, agent_type = 'hangs'): Promise<Response> =>
    handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as(user) },
        body: JSON.stringify({ agent_type, user_prompt: 'go' }),
      }),
    )

  test('bound its active runs, separately from those of others', async () => {
    const { reopen } = await openGuarded()
    const handler = reopen({ context: who, owner: String, limits: { maxRunsPerUser: 2 } })
    const runs = [await start(handler, 'ann'), await start(handler, 'ann')]
    const refused = await start(handler, 'ann')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.text()).toContain('limit of 2 active runs')
    expect((await start(handler, 'bob')).status).toBe(200)
    const first = await readStream(runs[0]!, ({ frames }) => frames.length > 0)
    const { agent } = JSON.parse(first.frames[0]?.data ?? '{}') as { agent: string }
    const path = `http://localhost/agent/${agent}/stop`
    await handler.fetch(new Request(path, { method: 'POST', headers: as('ann') }))
    await expect.poll(async () => (await start(handler, 'ann')).status).toBe(200)
    expect((await start(handler, 'ann')).status).toBe(429)
  })

  test('do not count ended, paused and rejected runs', async () => {
    const { reopen } = await openGuarded()
    const handler = reopen({ context: who, owner: String, limits: { maxRunsPerUser: 1 } })
    for (const type of ['talks', 'asks', 'nobody', 'talks']) {
      const response = await start(handler, 'ann', type)
      expect(response.status).toBe(type === 'nobody' ? 400 : 200)
      await response.text()
    }
  })

  test('bound its open streams', async () => {
    const { reopen } = await openGuarded()
    const handler = reopen({ context: who, owner: String, limits: { maxReadersPerUser: 2 } })
    const pathOf = async (user: string): Promise<string> => {
      const { frames } = await readStream(await start(handler, user, 'talks'))
      const { agent } = JSON.parse(frames[0]?.data ?? '{}') as { agent: string }
      return `/agent/${agent}/stream?follow=1`
    }
    const path = await pathOf('ann')
    const streams = [await get(handler, path, as('ann')), await get(handler, path, as('ann'))]
    expect((await get(handler, path, as('ann'))).status).toBe(429)
    expect((await get(handler, await pathOf('bob'), as('bob'))).status).toBe(200)
    await streams[0]?.body?.cancel()
    expect((await get(handler, path, as('ann'))).status).toBe(200)
  })
})
