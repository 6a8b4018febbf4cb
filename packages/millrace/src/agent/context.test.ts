import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { call, text } from '../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import { createHandler, type Handler } from '../server/handler.ts'
import type { RunEvent } from '../webhooks/index.ts'
import { forContext } from './for-context.ts'
import { fromEvents } from './foreign/from-events.ts'

interface User {
  readonly name: string
  readonly plan: 'free' | 'pro'
}

const { defineTool, createAgent } = forContext<User>()
const session = '00000000-0000-4000-8000-000000000000'
const ann: User = { name: 'ann', plan: 'free' }

/** An agent whose sub-agent calls a tool with approval, then the agent itself. Each place reports the context that it gets. */
function createSupport(seen: [place: string, context: User][]) {
  const see = (place: string, context: User): void => void seen.push([place, context])
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    input: z.object({ cents: z.number() }),
    needsApproval: ({ cents }, { context }) => {
      see('needsApproval', context)
      return cents > 100 && context.plan === 'free'
    },
    run: ({ cents }, { context }) => {
      see('run', context)
      return `${cents} to ${context.name}`
    },
  })
  const clerk = createAgent({
    name: 'clerk',
    description: 'Refunds.',
    model: createScriptedModel([
      { content: [call('t1', 'refund', { cents: 500 })] },
      { content: [text('refunded')] },
    ]),
    system: ({ context }) => {
      see('system of clerk', context)
      return ''
    },
    tools: [refund],
  })
  const model = createScriptedModel([
    { content: [call('s1', 'spawn_subagent', { agent_name: 'clerk', task: 'refund' })] },
    { content: [call('t2', 'refund', { cents: 1 })] },
    { content: [text('done')] },
  ])
  const support = createAgent({
    name: 'support',
    model,
    system: async ({ context }) => {
      see('system', context)
      return `You help ${context.name}.`
    },
    tools: ({ context }) => {
      see('tools', context)
      return [refund]
    },
    subagents: [clerk],
  })
  return { support, model }
}

function open(store: Store, seen: [string, User][], events: RunEvent[] = []) {
  const { support, model } = createSupport(seen)
  const handler = createHandler({
    agents: { support },
    defaultAgent: 'support',
    store,
    context: ({ headers }) => JSON.parse(headers.get('x-user') ?? 'null') as User,
    owner: (user) => user.name,
    title: async (_, { context }) => {
      seen.push(['title', context])
      return 'Refund'
    },
    onEvent: (event) => void events.push(event),
  })
  const post = (path: string, body: object, user: User) =>
    handler.fetch(
      new Request(`http://localhost/agent/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': JSON.stringify(user) },
        body: JSON.stringify({ agent_uuid: session, ...body }),
      }),
    )
  return { handler, post, model }
}

const places = (seen: readonly [string, User][]) => new Set(seen.map(([place]) => place))

describe('the context of a request reaches its run', () => {
  test('in instructions, tools, approvals, sub-agents, titles and events, also after a pause on another server', async () => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const seen: [string, User][] = []
    const events: RunEvent[] = []
    const first = open(store, seen, events)
    await (await first.post('run', { user_prompt: 'refund me' }, ann)).text()
    await first.handler.close()
    expect(events.at(-1)?.data).toMatchObject({ context: ann })
    expect(places(seen)).toEqual(
      new Set(['system', 'tools', 'system of clerk', 'needsApproval', 'title']),
    )
    const { handler, post } = open(store, seen, events)
    // The plan has changed meanwhile; the run keeps the context with which it began.
    const approvals = [{ tool_use_id: 't1', decision: 'approve' }]
    const resumed = await post('tool_approvals', { approvals }, { ...ann, plan: 'pro' })
    expect(await resumed.text()).toContain('500 to ann')
    await handler.close()
    expect(places(seen)).toContain('run')
    expect(new Set(seen.map(([, context]) => JSON.stringify(context)))).toEqual(
      new Set([JSON.stringify(ann)]),
    )
  })

  test('also if its server dies, and the next run has the context of its own request', async () => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const seen: [string, User][] = []
    const handlers: Handler[] = []
    const reopen = () => {
      const opened = open(store, seen)
      handlers.push(opened.handler)
      return opened
    }
    const dying = reopen()
    const asked = await dying.post('run', { user_prompt: 'refund me' }, ann)
    await asked.body?.cancel()
    await dying.handler.close()
    seen.length = 0
    const next = reopen()
    await next.handler.recover()
    const pro: User = { ...ann, plan: 'pro' }
    const ask = async () => {
      const response = await next.post('run', { user_prompt: 'again' }, pro)
      await response.text()
      return response.status
    }
    await expect.poll(ask, { timeout: 20_000 }).toBe(200)
    const contexts = seen.map(([, context]) => context)
    expect(contexts[0]).toEqual(ann)
    expect(contexts).toContainEqual(pro)
    await Promise.all(handlers.map((handler) => handler.close()))
  })
})

test('the context reaches the loop of another library', async () => {
  const contexts: unknown[] = []
  const loop = fromEvents({
    name: 'loop',
    async *run({ context }) {
      contexts.push(context)
      yield { type: 'text', text: 'done' }
    },
  })
  const handler = createHandler({
    agents: { loop },
    defaultAgent: 'loop',
    store: createMemoryStore(),
    context: () => ann,
    owner: ({ name }) => name,
  })
  const response = await handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'go' }),
    }),
  )
  expect(await response.text()).toContain('done')
  expect(contexts).toEqual([ann])
  await handler.close()
})

test('the context is typed in tools, agents and handlers', () => {
  defineTool({
    name: 'typed',
    description: '',
    input: z.object({ cents: z.number() }),
    needsApproval: ({ cents }, { context }) => {
      expectTypeOf(cents).toEqualTypeOf<number>()
      expectTypeOf(context).toEqualTypeOf<User>()
      return false
    },
    run: (_, { context }) => expectTypeOf(context).toEqualTypeOf<User>(),
  })
  createHandler({
    agents: { a: { name: 'a', run: () => [] as never } },
    defaultAgent: 'a',
    store: createMemoryStore(),
    context: async (): Promise<User> => ann,
    owner: (user) => {
      expectTypeOf(user).toEqualTypeOf<User>()
      return user.name
    },
    authorize: (_, __, ___, { context }) => {
      expectTypeOf(context).toEqualTypeOf<User | undefined>()
      return true
    },
  })
})
