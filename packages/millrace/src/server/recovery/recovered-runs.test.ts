import { afterEach, describe, expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { decodeEnvelope, createVerifier } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const session = '00000000-0000-4000-8000-000000000000'
const url = `http://localhost/agent/${session}`

function open(store: Store, replies: readonly ScriptedReply[], more: Partial<HandlerOptions> = {}) {
  const model = createScriptedModel(replies)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store,
    ...more,
  })
  handlers.push(handler)
  const post = (path: string, body: object): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost/agent/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  return { handler, post }
}

/** The frames of a stream, and its defects. */
function verify(stream: string) {
  const lines = [...stream.matchAll(/^id: (\d+)\ndata: (.+)$/gm)]
  const verifier = createVerifier()
  const found = lines.flatMap(([, id, line = '']) => verifier.push(line, Number(id)))
  const violations = [...found, ...verifier.end(stream.endsWith('data: [DONE]\n\n'))]
  return { messages: lines.map(([, , line = '']) => decodeEnvelope(line)), violations }
}

const hanging: ScriptedReply = { content: [text('flour')], hangs: 'until_aborted' }

/** A run that its server has handed over, and another server, whose first search found no lost runs. */
async function openGap(replies: readonly ScriptedReply[], more: Partial<HandlerOptions> = {}) {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const next = open(store, replies, more)
  expect(await next.handler.recover()).toEqual([])
  const first = open(store, [hanging])
  const asked = await first.post('run', { agent_uuid: session, user_prompt: 'go' })
  await asked.body?.cancel()
  await first.handler.close()
  return next
}

describe('a run between two servers', () => {
  test('is recovered for its next reader, who reads its end', async () => {
    const recovered: string[] = []
    const onRecovered = (one: string): void => void recovered.push(one)
    const { handler } = await openGap([{ content: [text('bread')] }], { onRecovered })
    const stream = await (await handler.fetch(new Request(`${url}/stream`))).text()
    expect(stream).toContain('"type":"meta_end"')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(recovered).toEqual([session])
  })

  test('is not overtaken by another prompt', async () => {
    const { post } = await openGap([hanging])
    const response = await post('run', { agent_uuid: session, user_prompt: 'another' })
    expect(response.status).toBe(409)
    await response.text()
  })

  test('can be stopped', async () => {
    const { handler, post } = await openGap([hanging])
    expect(await (await post(`${session}/stop`, {})).json()).toEqual({ stopped: true })
    const stream = await (await handler.fetch(new Request(`${url}/stream`))).text()
    expect(stream).toContain('"type":"meta_end"')
  })

  test('counts as active', async () => {
    const { handler } = await openGap([hanging])
    const state = await (await handler.fetch(new Request(url))).json()
    expect(state).toMatchObject({ status: 'running' })
  })

  test('is recovered when a page claims a call', async () => {
    const { handler, post } = await openGap([hanging])
    const claim = { agent_uuid: session, tool_use_id: 'c1', client_id: 'tab' }
    expect((await post('tool_claims', claim)).status).toBe(404)
    expect(handler.activity().runs).toBe(1)
  })

  test('ends with an error that names the reason, if no server offers its agent any more', async () => {
    const { handler, post } = await openGap([], {
      // A server waits for others for twenty leases.
      limits: { leaseMs: 10 },
      agents: { baker: createAgent({ name: 'baker', model: createScriptedModel([]) }) },
      defaultAgent: 'baker',
    })
    const stream = await (await handler.fetch(new Request(`${url}/stream`))).text()
    const { messages, violations } = verify(stream)
    expect(violations).toEqual([])
    expect(messages.map(({ type }) => type)).not.toContain('rollback')
    const [error, end] = messages.slice(-2)
    expect(error).toMatchObject({ type: 'error' })
    expect(String(error?.delta)).toContain('miller is no longer offered')
    expect(end).toMatchObject({ type: 'meta_end' })
    const again = await post('run', { agent_uuid: session, user_prompt: 'another' })
    expect(again.status).toBe(400)
    const history = await (await handler.fetch(new Request(`${url}/conversations`))).json()
    expect(history).toMatchObject({ conversations: [{ stop_reason: 'error' }] })
  })

  describe.each([
    ['another question', 'run', { agent_uuid: session, user_prompt: 'another' }, 409],
    ['a stop', `${session}/stop`, {}, 200],
    ['a message', `${session}/steer`, { user_prompt: 'more' }, 200],
    [
      'a result',
      'tool_results',
      { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] },
      404,
    ],
  ])('on a server that does not look for lost runs', (name, path, body, status) => {
    test(`is recovered before ${name} is accepted`, async () => {
      const store: Store = { ...createMemoryStore(), isDurable: true }
      const first = open(store, [hanging])
      const asked = await first.post('run', { agent_uuid: session, user_prompt: 'go' })
      await asked.body?.cancel()
      await first.handler.close()
      const next = open(store, [hanging])
      const response = await next.post(path, body)
      expect(response.status).toBe(status)
      await response.text()
      await next.post(`${session}/stop`, {})
      const stream = await (await next.handler.fetch(new Request(`${url}/stream`))).text()
      const { messages, violations } = verify(stream)
      expect(violations).toEqual([])
      expect(messages.filter(({ type }) => type === 'meta_end')).toHaveLength(1)
    })
  })
})
