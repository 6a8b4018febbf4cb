import { expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'

/** A run that says a word and then works for long without writing anything. */
async function open(store: Store) {
  const model = createScriptedModel([{ content: [text('flour')], hangs: 'until_aborted' }])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store,
    limits: { leaseMs: 30 },
  })
  const response = await handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: 'go' }),
    }),
  )
  await response.body?.cancel()
  return handler
}

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['removed', (store) => store.remove(session)],
  ['taken over', (store) => store.open(session)],
])('a run whose session is %s ends, though it writes nothing', async (_, lose) => {
  const store = createMemoryStore()
  const handler = await open(store)
  await lose(store)
  await expect.poll(() => handler.activity().runs).toBe(0)
  await handler.close()
})

test('a store that takes long for a renewal is not asked again meanwhile', async () => {
  const store = createMemoryStore()
  let renewals = 0
  let isOpen = false
  const handler = await open({
    ...store,
    renew: async (...given) => {
      renewals++
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 5))
      return store.renew(...given)
    },
  })
  await expect.poll(() => renewals).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(renewals).toBe(1)
  isOpen = true
  await expect.poll(() => renewals).toBeGreaterThan(1)
  await handler.close()
})
