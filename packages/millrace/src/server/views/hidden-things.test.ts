import { afterEach, describe, expect, test } from 'vitest'
import { anything, call, confirm, text, tool } from '../../../test/support/agents/agent-harness.ts'
import { spawn } from '../../../test/support/agents/family.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { defaultProtocols } from '../../protocols/registry/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { encodeBase64 } from '../files/stored-blocks.ts'
import { createHandler, type Handler } from '../handler.ts'
import { joinViews, type View, withoutThinking, withoutToolInternals } from './view-rules.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const session = '00000000-0000-4000-8000-000000000000'

/** A reader with a view; requests with `x-owner` see everything. */
const viewOf =
  (view: (session: string) => View) =>
  (request: Request, id: string): View | undefined =>
    request.headers.has('x-owner') ? undefined : view(id)

const strangers = (id: string): View => ({
  ...joinViews(withoutThinking, withoutToolInternals),
  hidesAgent: (agent) => agent !== id,
})

type Agent = Parameters<typeof createHandler>[0]['agents'][string]

function open(agent: Agent, view = strangers) {
  const store = createMemoryStore()
  const handler = createHandler({
    agents: { root: agent },
    defaultAgent: 'root',
    store,
    node: 'node',
    now: () => 0,
    view: viewOf(view),
  })
  handlers.push(handler)
  const send = (path: string, body?: object, headers: object = {}): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost${path}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    )
  return { store, send }
}

/** The complete response to a client. */
async function allOf(response: Response): Promise<string> {
  const all = JSON.stringify([response.status, [...response.headers], await response.text()])
  // Log ids are random: they appear in a header and after the number of a cursor.
  const cursors = all.replace(/(?<=\d)@[0-9a-z]{12}\b/g, '@LOG')
  const log = response.headers.get('millrace-log')
  return log === null ? cursors : cursors.replaceAll(log, 'LOG')
}

const agUiInput = (more: object) => ({
  threadId: 't',
  runId: 'r',
  messages: [],
  state: {},
  ...more,
})
const askInAgUi = agUiInput({ messages: [{ id: 'm', role: 'user', content: 'go' }] })
const askInAiSdk = {
  id: 'c',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
}

const guarded = defineTool({
  name: 'guarded',
  description: '',
  input: anything,
  needsApproval: true,
  run: () => 'ran',
})

describe('hidden content changes no byte of any response', () => {
  /** An agent that thinks, calls a tool with an image and spawns another agent; all of it contains `hidden`. */
  function createHiding(hidden: string) {
    const bytes = new Uint8Array(5_000).fill(hidden.charCodeAt(0))
    const draw = defineTool({
      name: 'draw',
      description: '',
      input: anything,
      run: () => ({
        text: hidden,
        images: [{ mediaType: 'image/png', data: encodeBase64(bytes) }],
      }),
    })
    const child = createAgent({
      name: 'child',
      description: 'child',
      createId: () => 'child',
      model: createScriptedModel(
        [{ content: [text(hidden), call('d1', 'grind', { hidden })] }, { content: [text(hidden)] }],
        byAnswers,
      ),
      tools: [tool('grind', () => hidden)],
    })
    const thought = { type: 'thinking', thinking: hidden, signature: hidden }
    return createAgent({
      name: 'root',
      createId: () => 'root',
      model: createScriptedModel(
        [
          { content: [thought, call('c1', 'draw', { hidden })] },
          { content: [thought, spawn('c2', { task: hidden })] },
          { content: [thought, text('All is done.')] },
          { content: [thought, call('c3', 'guarded', { hidden })] },
        ],
        byAnswers,
      ),
      tools: [draw, guarded],
      subagents: [child],
    })
  }

  const paths = [
    '/agent/sessions',
    `/agent/${session}`,
    `/agent/${session}/conversations`,
    `/agent/${session}/times`,
    `/agent/${session}/decisions`,
    `/agent/${session}/stream`,
    `/agent/${session}/stream?compact=0`,
    `/agent/${session}/stream?settled=1`,
    ...defaultProtocols().map(({ name }) => `/agent/${session}/stream?format=${name}`),
    '/ai-sdk/chat/c/messages',
    '/ai-sdk/chat/c/messages?subagents=inline',
    '/ai-sdk/chat/c/stream',
    '/health',
    '/openapi.json',
  ]

  async function readAll(hidden: string, headers: object = {}) {
    const { send, store } = open(createHiding(hidden))
    const asked = {
      agent_uuid: session,
      user_prompt: 'go',
      stream_meta_history_and_tool_results: 'all',
    }
    const answers = new Map<string, string>()
    const read = async (name: string, response: Promise<Response>): Promise<void> =>
      void answers.set(name, await allOf(await response))
    await read('run', send('/agent/run', asked, headers))
    await read('ai-sdk', send('/ai-sdk/chat', askInAiSdk, headers))
    await read('ag-ui', send('/ag-ui', askInAgUi, headers))
    await read('ag-ui view', send('/ag-ui', agUiInput({ runId: 'r2' }), headers))
    for (const path of paths) await read(path, send(path, undefined, headers))
    // The second prompt causes a call that the owner approves.
    await read('pause', send('/agent/run', asked, headers))
    for (const path of paths) await read(`${path} paused`, send(path, undefined, headers))
    const approvals = [
      { tool_use_id: 'c3', decision: 'approve', input: { hidden }, reason: hidden },
    ]
    const decided = { agent_uuid: session, approvals }
    await (await send('/agent/tool_approvals', decided, { 'x-owner': '1' })).text()
    for (const path of paths) await read(`${path} decided`, send(path, undefined, headers))
    return { answers, send, store }
  }

  test('nor of any file', async () => {
    const [one, other] = [await readAll('aaaa-hush'), await readAll('bbbb-mute')]
    for (const [name, answer] of one.answers)
      expect.soft(other.answers.get(name), name).toBe(answer)
    expect(one.answers.get(`/agent/${session} paused`)).toContain('c3')
    expect(one.answers.get(`/agent/${session}/decisions decided`)).toContain('c3')
    const owner = await readAll('cccc-open', { 'x-owner': '1' })
    const shown = [...owner.answers.values()].filter((answer) => answer.includes('cccc-open'))
    // Proves the check: nearly every response to the owner contains hidden content.
    expect(shown.length).toBeGreaterThan(12)
  })

  test('files that no frame references are not served', async () => {
    const { send, store } = await readAll('aaaa-hush')
    const ids = await idsOf(store)
    expect(ids.filter((id) => id.startsWith('img_'))).toHaveLength(1)
    for (const id of ids) {
      for (const room of ['files', 'images']) {
        const missing = id.replaceAll(/[0-9a-f]/g, '0')
        const answers = [id, missing].map(async (one) =>
          (await allOf(await send(`/agent/${session}/${room}/${one}`))).replaceAll(one, 'ID'),
        )
        const [found, none] = await Promise.all(answers)
        expect(found).toBe(none)
        expect(found).not.toContain('[200')
      }
    }
  })

  async function idsOf(store: Store): Promise<readonly string[]> {
    return [...(await store.fileIds(session))]
  }
})

test('never serves the key of image ids, and serves an image to its owner', async () => {
  const data = encodeBase64(new Uint8Array(5_000))
  const draw = defineTool({
    name: 'draw',
    description: '',
    input: anything,
    run: () => ({ images: [{ mediaType: 'image/png', data }] }),
  })
  const model = createScriptedModel([{ content: [call('c1', 'draw')] }])
  const { send, store } = open(createAgent({ name: 'root', model, tools: [draw] }))
  await (await send('/agent/run', { agent_uuid: session, user_prompt: 'go' })).text()
  const owner = { 'x-owner': '1' }
  const statuses = [...(await store.fileIds(session))].sort().map(async (id) => {
    const response = await send(`/agent/${session}/files/${id}`, undefined, owner)
    return [id.slice(0, 4), response.status]
  })
  expect(await Promise.all(statuses)).toEqual([
    ['img_', 200],
    ['key_', 404],
  ])
})

test('an upload is hidden with its prompt', async () => {
  const agent = createAgent({ name: 'root', model: createScriptedModel([]) })
  const hidesQuestion = (): View => ({ hiddenFields: { meta_init: ['user_query'] } })
  const { send, store } = open(agent, hidesQuestion)
  const data = encodeBase64(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10))
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
  await (await send('/agent/run', { agent_uuid: session, user_prompt: [image] })).text()
  const [id] = await store.fileIds(session)
  const path = `/agent/${session}/files/${id}`
  expect((await send(path)).status).toBe(404)
  expect((await send(path, undefined, { 'x-owner': '1' })).status).toBe(200)
})

describe('a call of a hidden sub-agent', () => {
  /** An agent whose sub-agent waits for a frontend result and for an approval. */
  function createWaiting() {
    const model = createScriptedModel(
      [{ content: [call('hid-1', 'confirm'), call('hid-2', 'guarded')] }],
      byAnswers,
    )
    const child = createAgent({
      name: 'child',
      description: 'child',
      model,
      tools: [confirm, guarded],
    })
    return createAgent({
      name: 'root',
      model: createScriptedModel([{ content: [spawn('c1')] }], byAnswers),
      subagents: [child],
    })
  }

  const toolMessage = (toolCallId: string) => ({
    id: 'x',
    role: 'tool',
    toolCallId,
    content: 'yes',
  })
  const part = (toolCallId: string, more: object) => ({ type: 'tool-x', toolCallId, ...more })
  const chat = (...parts: object[]) => ({
    id: 'c',
    trigger: 'submit-message',
    messages: [...askInAiSdk.messages, { id: 'a', role: 'assistant', parts }],
  })

  /** Requests of a stranger about a call. */
  const requests: Readonly<Record<string, (id: string) => readonly [string, object]>> = {
    'a result': (id) => [
      '/agent/tool_results',
      { agent_uuid: session, tool_results: [{ tool_use_id: id, content: 'yes' }] },
    ],
    'a result for another agent': (id) => [
      '/agent/tool_results',
      { agent_uuid: session, tool_results: [{ tool_use_id: id, agent: session, content: 'yes' }] },
    ],
    'a decision': (id) => [
      '/agent/tool_approvals',
      { agent_uuid: session, approvals: [{ tool_use_id: id, decision: 'approve' }] },
    ],
    'a decision for another agent': (id) => [
      '/agent/tool_approvals',
      { agent_uuid: session, approvals: [{ tool_use_id: id, agent: session, decision: 'refuse' }] },
    ],
    'a claim': (id) => [
      '/agent/tool_claims',
      { agent_uuid: session, tool_use_id: id, client_id: 'me' },
    ],
    'a claim for another agent': (id) => [
      '/agent/tool_claims',
      { agent_uuid: session, agent: session, tool_use_id: id, client_id: 'me' },
    ],
    'an output of a page': (id) => [
      '/ai-sdk/chat',
      chat(part(id, { state: 'output-available', output: 'yes' })),
    ],
    'an undecided part of a page': (id) => [
      '/ai-sdk/chat',
      chat(part(id, { state: 'approval-requested' })),
    ],
    'an approval of a page': (id) => [
      '/ai-sdk/chat',
      chat(part(id, { state: 'approval-responded', approval: { id, approved: true } })),
    ],
    'a tool message': (id) => ['/ag-ui', agUiInput({ runId: 'r2', messages: [toolMessage(id)] })],
    'a tool message that is none': (id) => [
      '/ag-ui',
      agUiInput({ runId: 'r3', messages: [{ ...toolMessage(id), content: 7 }] }),
    ],
    'an interrupt': (id) => [
      '/ag-ui',
      agUiInput({
        runId: 'r4',
        resume: [{ interruptId: id, status: 'resolved', payload: { approved: true } }],
      }),
    ],
  }

  test.each(Object.entries(requests))(
    'gets the response of an unknown call: %s',
    async (_, toRequest) => {
      const { send } = open(createWaiting())
      await (await send('/agent/run', { agent_uuid: session, user_prompt: 'go' })).text()
      await (await send('/ai-sdk/chat', askInAiSdk)).text()
      await (await send('/ag-ui', askInAgUi)).text()
      const answerTo = async (id: string, headers: object = {}): Promise<string> => {
        const [path, body] = toRequest(id)
        return (await allOf(await send(path, body, headers))).replaceAll(id, 'ID')
      }
      const none = await answerTo('non-0')
      expect(await answerTo('hid-1')).toBe(none)
      expect(await answerTo('hid-2')).toBe(none)
      const owner = { 'x-owner': '1' }
      // Proves the check: for the owner, at least one response differs.
      const seen = [await answerTo('hid-1', owner), await answerTo('hid-2', owner)]
      const ownerNone = await answerTo('non-0', owner)
      expect(seen.some((answer) => answer !== ownerNone)).toBe(true)
    },
  )

  test('the sub-agent cannot be stopped or steered', async () => {
    const { send } = open(createWaiting())
    await (await send('/agent/run', { agent_uuid: session, user_prompt: 'go' })).text()
    const answerTo = async (path: string, agent: string): Promise<string> =>
      (
        await allOf(await send(`/agent/${session}/${path}`, { agent, user_prompt: 'x' }))
      ).replaceAll(agent, 'ID')
    for (const path of ['stop', 'steer']) {
      expect(await answerTo(path, `${session}.1`)).toBe(await answerTo(path, `${session}.9`))
    }
    expect(
      await (
        await send(`/agent/${session}/stop`, { agent: `${session}.1` }, { 'x-owner': '1' })
      ).json(),
    ).toEqual({ stopped: true })
  })
})
