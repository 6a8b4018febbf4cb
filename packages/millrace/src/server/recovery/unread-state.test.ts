import { expect, test } from 'vitest'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'

test('a run whose state the store does not return is recovered, not ended', async () => {
  const memory = createMemoryStore()
  let isFailing = false
  const store: Store = {
    ...memory,
    parts: async (name, collection, range, log) => {
      if (isFailing && collection.startsWith('lane:')) throw new Error('The disk is busy.')
      return memory.parts(name, collection, range, log)
    },
  }
  const model = createScriptedModel([])
  const agents = { main: createAgent({ name: 'main', model }) }
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const handler = createHandler({ agents, defaultAgent: 'main', store, recovers: false, onError })
  const ask = async (user_prompt: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent_uuid: session, user_prompt })
    const init = { method: 'POST', headers, body }
    return (await handler.fetch(new Request('http://localhost/agent/run', init))).text()
  }
  expect(await ask('rye')).toContain('end_turn')
  isFailing = true
  expect(await ask('oats')).not.toContain('meta_end')
  expect(errors).toMatchObject([{ code: 'store_unavailable' }])
  isFailing = false
  const { epoch = 0 } = (await store.info(session)) ?? {}
  await store.renew(session, epoch, { owner: 'gone', ms: 0 })
  expect(await handler.recover()).toEqual([session])
  await expect.poll(() => handler.activity().runs).toBe(0)
  const asked = JSON.stringify(model.requests.at(-1)?.messages)
  expect(asked).toMatch(/rye.*done.*oats/)
  expect((await store.info(session))?.head).toContain('"stopReason":"end_turn"')
  await handler.close()
})
