import { expect, test } from 'vitest'
import type { Agent } from '../agent/port/agent.ts'
import type { Violation } from '../events/index.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import { createHandler } from './handler.ts'
import { createLineCheck } from './create-server-context.ts'

const toLine = (type: string, delta = '{}') =>
  JSON.stringify({ type, agent: 's', final: true, delta })

test('lines of another server in between violate no rule', () => {
  const violations: Violation[] = []
  const check = createLineCheck((violation) => violations.push(violation), 2_048)
  check('s', 1, toLine('meta_init'))
  check('s', 2, toLine('meta_end'))
  // Another server of the store wrote ids 3 to 5.
  check('s', 6, toLine('meta_init'))
  check('s', 7, toLine('meta_end'))
  expect(violations).toEqual([])
})

test('a repeated id violates LOG-2', () => {
  const violations: Violation[] = []
  const check = createLineCheck((violation) => violations.push(violation), 2_048)
  check('s', 1, toLine('meta_init'))
  check('s', 1, toLine('meta_init'))
  expect(violations.map(({ rule }) => rule)).toContain('LOG-2')
})

test('a session that begins again with the same id has its own log', async () => {
  const violations: Violation[] = []
  const agent: Agent = {
    name: 'short',
    async *run({ agent: given, prompt = '' }) {
      const of = { agent: given ?? '' }
      yield { ...of, type: 'run_start', runId: 'r', prompt, model: 'm', messages: [] }
      const end = { ...of, type: 'run_end', stopReason: 'end_turn', steps: 1 } as const
      const usage = { input_tokens: 0, output_tokens: 0 }
      yield { ...end, usage, messages: [], files: [] }
    },
  }
  const store = createMemoryStore()
  const handler = createHandler({
    agents: { agent },
    defaultAgent: 'agent',
    store,
    onViolation: (violation) => violations.push(violation),
  })
  const session = '00000000-0000-4000-8000-000000000000'
  for (let time = 0; time < 2; time++) {
    const request = new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: 'go' }),
    })
    expect(await (await handler.fetch(request)).text()).toContain('[DONE]')
    await store.remove(session)
  }
  expect(violations).toEqual([])
  await handler.close()
})
