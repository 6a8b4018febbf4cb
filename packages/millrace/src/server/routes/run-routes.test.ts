import { expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'

/** A store that holds back the append that ends a run, until it is released. */
function createHeldEnd() {
  const store = createMemoryStore()
  let arrive = (): void => {}
  let release = (): void => {}
  const reached = new Promise<void>((resolve) => (arrive = resolve))
  const left = new Promise<void>((resolve) => (release = resolve))
  const held: Store = {
    ...store,
    append: async (append) => {
      if (append.parts?.some(({ collection }) => collection === 'runs') === true) {
        arrive()
        await left
      }
      return store.append(append)
    },
  }
  return { store: held, reached, release }
}

test('a run that follows one which was about to end counts for its own user', async () => {
  const { store, reached, release } = createHeldEnd()
  const model = createScriptedModel([
    { content: [text('flour')] },
    { content: [text('bread')], hangs: 'until_aborted' },
  ])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store,
    context: () => 'ann',
    owner: String,
    limits: { maxRunsPerUser: 1 },
  })
  const ask = (end: string) =>
    handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          agent_uuid: `00000000-0000-4000-8000-00000000000${end}`,
          user_prompt: 'go',
        }),
      }),
    )
  try {
    expect((await ask('1')).status).toBe(200)
    await reached
    const second = ask('1')
    release()
    expect((await second).status).toBe(200)
    expect((await ask('2')).status).toBe(429)
  } finally {
    release()
    await handler.close()
  }
})
