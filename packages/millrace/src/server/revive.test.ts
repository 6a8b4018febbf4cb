import { afterEach, describe, expect, test } from 'vitest'
import { text } from '../../test/support/agent-harness.ts'
import { createScriptedModel, type ScriptedReply } from '../../test/support/scripted-model.ts'
import { createAgent } from '../agent/index.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { createHandler, type Handler } from './handler.ts'
import type { HandlerOptions } from './handler-options.ts'

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

const hanging: ScriptedReply = { content: [text('flour')], hangs: 'until_aborted' }

/** A run that its server has handed over, and another server, which looks for lost runs and has found none yet. */
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
  test('is carried on for whoever comes to read it, who reads its end', async () => {
    const recovered: string[] = []
    const onRecovered = (one: string): void => void recovered.push(one)
    const { handler } = await openGap([{ content: [text('bread')] }], { onRecovered })
    const stream = await (await handler.fetch(new Request(`${url}/stream`))).text()
    expect(stream).toContain('"type":"meta_end"')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(recovered).toEqual([session])
  })

  test('is not overtaken by another question', async () => {
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

  test('counts as going on', async () => {
    const { handler } = await openGap([hanging])
    const state = await (await handler.fetch(new Request(url))).json()
    expect(state).toMatchObject({ status: 'running' })
  })

  test('is left alone by a server that looks for none', async () => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const first = open(store, [hanging])
    const asked = await first.post('run', { agent_uuid: session, user_prompt: 'go' })
    await asked.body?.cancel()
    await first.handler.close()
    const { handler } = open(store, [])
    const state = await (await handler.fetch(new Request(url))).json()
    expect(state).toMatchObject({ status: 'interrupted' })
    const stream = await (await handler.fetch(new Request(`${url}/stream`))).text()
    expect(stream).not.toContain('meta_end')
  })
})
