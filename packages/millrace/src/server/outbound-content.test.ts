import { afterEach, describe, expect, test } from 'vitest'
import { call, confirm, text } from '../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import type { OutboundOptions } from '../outbound/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import { createHandler, type Handler } from './handler.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const done: ScriptedReply = { content: [text('done')] }

function open(replies: readonly ScriptedReply[] = [done], outbound?: OutboundOptions) {
  const model = createScriptedModel(replies)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, tools: [confirm] }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    ...(outbound !== undefined && { outbound }),
  })
  handlers.push(handler)
  const session = crypto.randomUUID()
  const post = (path: string, body: object): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const ask = (...user_prompt: readonly object[]): Promise<Response> =>
    post('/agent/run', { agent_uuid: session, user_prompt })
  const sessions = async () =>
    (await (await handler.fetch(new Request('http://localhost/agent/sessions'))).json()) as {
      total: number
    }
  return { model, session, post, ask, sessions }
}

async function expectAnswer(response: Response): Promise<void> {
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('end_turn')
}

const imageAt = (url: string) => ({ type: 'image', source: { type: 'url', url } })
const fileOf = (file_id: string) => ({ type: 'document', source: { type: 'file', file_id } })
const metadata = 'http://169.254.169.254/latest/meta-data/'

describe('content of a client', () => {
  test.each([
    ['a link-local address', imageAt(metadata)],
    ['a file of the machine', imageAt('file:///etc/passwd')],
    [
      'a URL beside other data',
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA', url: metadata },
      },
    ],
    [
      'a URL in the content of a document',
      { type: 'document', source: { type: 'content', content: [imageAt(metadata)] } },
    ],
    [
      'a part of another API',
      {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image_url', image_url: { url: metadata } }] },
      },
    ],
    [
      'a URL that is not a string',
      { type: 'image', source: { type: 'url', url: { href: metadata } } },
    ],
  ])('is rejected for %s, before anything is stored or sent', async (_, block) => {
    const { ask, model, sessions } = open()
    const response = await ask(block, text('What is this?'))
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toMatch(/^Block 1 \((?:image|document)\): /)
    expect(model.requests).toHaveLength(0)
    expect((await sessions()).total).toBe(0)
  })

  test('may reference a public image', async () => {
    const { ask, model } = open()
    await expectAnswer(await ask(imageAt('https://example.com/a.png')))
    expect(model.requests[0]?.messages[0]?.content).toEqual([imageAt('https://example.com/a.png')])
  })

  test('may not reference a file of another session', async () => {
    const { ask, model } = open()
    for (const block of [
      fileOf('file_of_another'),
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA', file_id: 'file_x' },
      },
    ]) {
      const response = await ask(block)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('this session has no file')
    }
    expect(model.requests).toHaveLength(0)
  })

  test('may reference a file that the provider made in the session', async () => {
    const made = {
      type: 'code_execution_tool_result',
      tool_use_id: 's1',
      content: { file_id: 'file_made' },
    }
    const { ask, model } = open([{ content: [made, text('made')] }, done])
    await (await ask(text('Make it.'))).text()
    await expectAnswer(await ask(fileOf('file_made')))
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toEqual([fileOf('file_made')])
  })

  test('is checked in frontend results and in steering', async () => {
    const { session, ask, post, model } = open([
      { content: [call('c1', 'confirm')], stopReason: 'tool_use' },
      done,
    ])
    await (await ask(text('go'))).text()
    const answer = (content: readonly object[]) =>
      post('/agent/tool_results', {
        agent_uuid: session,
        tool_results: [{ tool_use_id: 'c1', content }],
      })
    expect((await answer([imageAt(metadata)])).status).toBe(400)
    expect((await answer([fileOf('file_of_another')])).status).toBe(404)
    expect(
      (await post(`/agent/${session}/steer`, { user_prompt: [imageAt(metadata)] })).status,
    ).toBe(400)
    expect(model.requests).toHaveLength(1)
    await expectAnswer(await answer([imageAt('https://example.com/a.png')]))
  })

  test('is checked on the routes of other protocols', async () => {
    const { post, model } = open()
    const part = { type: 'file', mediaType: 'image/png', url: metadata }
    const chat = { id: 'c', messages: [{ id: 'm', role: 'user', parts: [part] }] }
    expect((await post('/ai-sdk/chat', chat)).status).toBe(400)
    const source = { type: 'url', value: metadata, mimeType: 'image/png' }
    const content = [{ type: 'image', source }]
    const thread = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content }] }
    expect((await post('/ag-ui', thread)).status).toBe(400)
    expect(model.requests).toHaveLength(0)
  })

  test('is checked by the options of the server', async () => {
    const ids: string[] = []
    const { ask } = open([done, done, done], {
      urls: { http: true, privateHosts: true },
      fileIds: (id, session) => ids.push(`${id} ${session.length}`) > 0,
    })
    await expectAnswer(await ask(imageAt(metadata)))
    expect((await ask(imageAt('file:///etc/passwd'))).status).toBe(400)
    await expectAnswer(await ask(fileOf('file_x')))
    expect(ids).toEqual(['file_x 36'])
    await expectAnswer(await open([done], { fileIds: 'any' }).ask(fileOf('file_x')))
    expect((await open([done], { urls: false }).ask(imageAt('https://example.com/'))).status).toBe(
      400,
    )
  })

  test.each([
    [{ url: {} }, /outbound\.url is unknown; use one of urls, fileIds, secrets/],
    [
      { urls: { host: [] } },
      /outbound\.urls\.host is unknown; use one of http, privateHosts, hosts/,
    ],
    [{ urls: true }, /outbound\.urls must be an object or false/],
    [{ urls: { http: 'yes' } }, /outbound\.urls\.http must be true or false/],
    [{ urls: { hosts: 'a' } }, /outbound\.urls\.hosts must be a list/],
    [{ fileIds: 'all' }, /outbound\.fileIds must be/],
    [{ secrets: 'x' }, /outbound\.secrets must be/],
  ])('options %j are rejected when the server is created', (outbound, message) => {
    expect(() => open([], outbound as unknown as OutboundOptions)).toThrow(message)
  })
})
