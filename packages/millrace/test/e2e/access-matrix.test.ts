import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { fromProducer } from '../../src/agent/foreign/producer/from-producer.ts'
import { defaultProtocols } from '../../src/protocols/registry/index.ts'
import { createHandler, type Handler } from '../../src/server/handler.ts'
import { createProtocols } from '../../src/server/protocols/protocols.ts'
import { allRoutes } from '../../src/server/routes/routes.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { anything, call, confirm, text } from '../support/agents/agent-harness.ts'
import { createScriptedModel, type ScriptedReply } from '../support/agents/scripted-model.ts'
import { type SharedPlace, storeKinds } from '../support/stores/store-kinds.ts'

/** Text of the owner's sessions that no other user may receive. */
const CANARY = 'canary-51c0de'

/** The sessions of the owner, with the agents that bring them into their states. */
const states = {
  asks: 'paused',
  erases: 'waiting',
  talks: 'ended',
  hangs: 'running',
  waits: 'running',
} as const
type State = keyof typeof states

const erase = defineTool({
  name: 'erase',
  description: '',
  input: anything,
  needsApproval: true,
  run: () => CANARY,
})

const replies: Readonly<Record<Exclude<State, 'waits'>, ScriptedReply>> = {
  asks: { content: [call('c1', 'confirm', { word: CANARY })] },
  erases: { content: [call('a1', 'erase', { word: CANARY })] },
  talks: { content: [text(CANARY)] },
  hangs: { content: [text(CANARY)], hangs: 'until_aborted' },
}

function createAgents() {
  const agents = Object.entries(replies).map(([name, reply]) => {
    const model = {
      ...createScriptedModel([]),
      stream: (...args: Parameters<ReturnType<typeof createScriptedModel>['stream']>) =>
        createScriptedModel([reply]).stream(...args),
    }
    return [name, createAgent({ name, model, tools: [confirm, erase] })]
  })
  return { ...Object.fromEntries(agents), waits: fromProducer({ name: 'waits' }) }
}

interface Target {
  readonly session: string
  readonly file: string
}

type Template = (target: Target) => readonly [path: string, body?: object | undefined]

const at =
  (path: string, body?: object): Template =>
  ({ session }) => [path.replace('SESSION', session), body]
const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'mine?' }] }
const asked = { runId: 'r1', state: {}, tools: [], context: [], forwardedProps: {} }

/** Requests of each route to a session of another owner. */
const requests: Readonly<Record<string, readonly Template[]>> = {
  'POST /agent/run': [
    ({ session }) => ['/agent/run', { agent_uuid: session, user_prompt: 'mine?' }],
    ({ session }) => ['/agent/run', { agent_uuid: session, regenerate: true }],
    ({ session }) => ['/agent/run', { agent_uuid: session, user_prompt: 'x', when_busy: 'queue' }],
    ({ session }) => [
      '/agent/run',
      { agent_uuid: session, user_prompt: 'x', when_busy: 'interrupt' },
    ],
  ],
  'POST /agent/run/multipart': [
    ({ session }) => ['/agent/run/multipart', form(session, { user_prompt: 'mine?' })],
  ],
  'POST /agent/tool_results': [
    ({ session }) => [
      '/agent/tool_results',
      { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] },
    ],
  ],
  'POST /agent/tool_approvals': [
    ({ session }) => [
      '/agent/tool_approvals',
      { agent_uuid: session, approvals: [{ tool_use_id: 'a1', decision: 'approve' }] },
    ],
  ],
  'POST /agent/tool_claims': [
    ({ session }) => [
      '/agent/tool_claims',
      { agent_uuid: session, tool_use_id: 'c1', client_id: 'tab' },
    ],
  ],
  'POST /agent/upload': [({ session }) => ['/agent/upload', form(session)]],
  'GET /agent/{uuid}': [at('/agent/SESSION')],
  'PATCH /agent/{uuid}': [at('/agent/SESSION', { title: 'mine' })],
  'DELETE /agent/{uuid}': [at('/agent/SESSION')],
  'POST /agent/{uuid}/share': [at('/agent/SESSION/share', {})],
  'DELETE /agent/{uuid}/share': [at('/agent/SESSION/share')],
  'GET /agent/{uuid}/stream': [
    at('/agent/SESSION/stream?cursor=0'),
    at('/agent/SESSION/stream?follow=1'),
  ],
  'GET /agent/{uuid}/conversations': [at('/agent/SESSION/conversations')],
  'GET /agent/{uuid}/times': [at('/agent/SESSION/times')],
  'GET /agent/{uuid}/decisions': [at('/agent/SESSION/decisions')],
  'POST /agent/{uuid}/stop': [at('/agent/SESSION/stop', {})],
  'POST /agent/{uuid}/steer': [at('/agent/SESSION/steer', { user_prompt: 'mine?' })],
  'POST /agent/{uuid}/events': [
    at('/agent/SESSION/events', {}),
    at('/agent/SESSION/events', { epoch: 1, seq: 0, events: [{ type: 'text', text: 'mine?' }] }),
  ],
  'GET /agent/{uuid}/commands': [at('/agent/SESSION/commands')],
  'POST /agent/{uuid}/fork': [
    at('/agent/SESSION/fork', {}),
    at('/agent/SESSION/fork', { after: 0 }),
  ],
  'GET /agent/{uuid}/branches': [at('/agent/SESSION/branches')],
  'DELETE /agent/{uuid}/queue/{message_id}': [at('/agent/SESSION/queue/q1')],
  'GET /agent/{uuid}/images/{id}': [at('/agent/SESSION/images/img_0123456789ab')],
  'GET /agent/{uuid}/files/{id}': [({ session, file }) => [`/agent/${session}/files/${file}`]],
  'POST /ai-sdk/chat': [({ session }) => ['/ai-sdk/chat', { id: session, messages: [message] }]],
  'GET /ai-sdk/chat/{id}/stream': [at('/ai-sdk/chat/SESSION/stream')],
  'GET /ai-sdk/chat/{id}/messages': [at('/ai-sdk/chat/SESSION/messages')],
  'POST /ag-ui': [
    ({ session }) => [
      '/ag-ui',
      { ...asked, threadId: session, messages: [{ id: 'm1', role: 'user', content: 'x' }] },
    ],
    ({ session }) => ['/ag-ui', { ...asked, threadId: session, messages: [] }],
  ],
}

/** Routes without a session in their request. */
const withoutSession = [
  'GET /health',
  'GET /openapi.json',
  'GET /doctor/stream',
  'GET /agent/sessions',
]

const formats = defaultProtocols().map(({ name }) => name)

function form(session: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const data = new FormData()
  data.set('agent_uuid', session)
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.append('files', new File(['words'], 'a.txt', { type: 'text/plain' }))
  return data
}

/** Sends a request; reads the beginning of its response, because a stream may not end. */
async function send(
  handler: Handler,
  user: string | undefined,
  method: string,
  [path, body]: ReturnType<Template>,
) {
  const isForm = body instanceof FormData
  const leaving = new AbortController()
  const response = await handler.fetch(
    new Request(`http://localhost${path}`, {
      method,
      signal: leaving.signal,
      headers: {
        ...(user !== undefined && { 'x-user': user }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    }),
  )
  const { status } = response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream) return { status, content: await response.text() }
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return { status, content: new TextDecoder().decode(value) }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20)
}

/** All that a store has of some sessions. */
async function dump(store: Store, sessions: readonly string[]) {
  return Promise.all(
    sessions.map(async (session) => ({
      info: await store.info(session),
      frames: (await store.read(session, 0, 10_000)).length,
      files: (await store.fileIds(session)).filter((id) => id !== 'share_link').toSorted(),
      commands: await store.commands(session, 0, 1_000),
      branches: await store.branches(session, 100),
    })),
  )
}

test('the matrix has every route of the server and of its protocols', async () => {
  const protocols = createProtocols(defaultProtocols())
  const names = (await allRoutes({ protocols })).map(({ method, path }) => `${method} ${path}`)
  expect(names.toSorted()).toEqual([...Object.keys(requests), ...withoutSession].toSorted())
})

describe.each(storeKinds)('sessions of another owner in $name', ({ missing, open }) => {
  describe.skipIf(missing !== '')(`cannot be reached${missing}`, () => {
    let place: SharedPlace
    let store: Store
    let handler: Handler
    const targets = new Map<State, Target>()
    const errors: unknown[] = []

    beforeAll(async () => {
      place = await open()
      store = place.connect()
      handler = createHandler({
        agents: createAgents(),
        defaultAgent: 'talks',
        store,
        limits: { leaseMs: 3_600_000 },
        context: ({ headers }) => headers.get('x-user'),
        owner: (user) => user,
        onError: (error) => errors.push(error),
      })
      for (const agent_type of Object.keys(states) as State[]) {
        const session = crypto.randomUUID()
        const body = { agent_uuid: session, agent_type, user_prompt: CANARY }
        await send(handler, 'ann', 'POST', ['/agent/run', body])
        const expected = { ...states, erases: 'paused' }
        await until(async () => {
          const { content } = await send(handler, 'ann', 'GET', [`/agent/${session}`])
          return (JSON.parse(content) as { status: string }).status === expected[agent_type]
        })
        const uploaded = await send(handler, 'ann', 'POST', ['/agent/upload', form(session)])
        const { files } = JSON.parse(uploaded.content) as { files: [{ id: string }] }
        const image = { id: 'img_0123456789ab', mediaType: 'image/png' }
        await store.putFile(session, { ...image, bytes: new TextEncoder().encode(CANARY) })
        targets.set(agent_type, { session, file: files[0].id })
      }
    }, 60_000)

    afterAll(async () => {
      await handler.close()
      await store.close()
      await place.close()
    })

    const cells = Object.entries(requests).flatMap(([route, templates]) =>
      templates.flatMap((template, index) =>
        formats.map((format) => ({ route, template, format, index })),
      ),
    )

    test('[SES-6] by another user, or without a user, by any route in any format; nothing changes', async () => {
      const sessions = [...targets.values()].map(({ session }) => session)
      const before = await dump(store, sessions)
      let count = 0
      for (const { route, template, format } of cells) {
        const [method = ''] = route.split(' ')
        for (const target of targets.values()) {
          const [path, body] = template(target)
          const formatted = `${path}${path.includes('?') ? '&' : '?'}format=${format}`
          const [stranger, unknown] = [
            await send(handler, 'bob', method, [formatted, body]),
            await send(handler, undefined, method, [formatted, body]),
          ]
          const cell = `${route} ${format}`
          expect([cell, stranger.status, unknown.status]).toEqual([cell, 404, 401])
          expect(`${stranger.content}${unknown.content}`).not.toContain(CANARY)
          count += 2
        }
      }
      expect(count).toBe(cells.length * targets.size * 2)
      expect(await dump(store, sessions)).toEqual(before)
      const { content } = await send(handler, 'bob', 'GET', ['/agent/sessions'])
      expect(JSON.parse(content)).toMatchObject({ sessions: [], total: 0 })
      expect(errors).toEqual([])
    })

    test('[SES-7] and the holder of a share link can only read', async () => {
      const sessions = [...targets.values()].map(({ session }) => session)
      const before = await dump(store, sessions)
      for (const target of targets.values()) {
        const path = `/agent/${target.session}/share`
        const { content } = await send(handler, 'ann', 'POST', [path, {}])
        const { share } = JSON.parse(content) as { share: string }
        for (const [route, templates] of Object.entries(requests)) {
          const [method = ''] = route.split(' ')
          for (const template of templates) {
            const [given, body] = template(target)
            const shared = `${given}${given.includes('?') ? '&' : '?'}share=${share}`
            const { status, content: received } = await send(handler, undefined, method, [
              shared,
              body,
            ])
            const isRead = method === 'GET' && route !== 'GET /agent/{uuid}/commands'
            if (isRead) expect([route, status]).not.toEqual([route, 401])
            else if (route === 'POST /ag-ui' && received !== '' && status === 200)
              // Without a new message, the route only shows the thread.
              expect((body as { messages: readonly object[] }).messages).toEqual([])
            else expect([route, status]).toEqual([route, 401])
          }
        }
        await send(handler, 'ann', 'DELETE', [path])
      }
      expect(await dump(store, sessions)).toEqual(before)
    })

    test('while their owner reaches them by each route', async () => {
      for (const [route, templates] of Object.entries(requests)) {
        // The others end the sessions that the rest of the routes need.
        if (!route.startsWith('GET')) continue
        const [method = ''] = route.split(' ')
        for (const target of targets.values())
          for (const template of templates) {
            const { status } = await send(handler, 'ann', method, template(target))
            expect([route, status < 300 || status === 410]).toEqual([route, true])
          }
      }
      const target = targets.get('talks')
      for (const [route, templates] of Object.entries(requests)) {
        if (target === undefined || route.startsWith('GET') || route.endsWith('{message_id}'))
          continue
        if (route === 'DELETE /agent/{uuid}' || route.startsWith('POST /agent/tool_')) continue
        const [method = ''] = route.split(' ')
        for (const template of templates) {
          const { status } = await send(handler, 'ann', method, template(target))
          expect([route, [200, 204, 409].includes(status)]).toEqual([route, true])
        }
      }
    })
  })
})
