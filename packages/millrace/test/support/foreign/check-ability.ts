import { expect } from 'vitest'
import { createMemoryStore } from '../../../src/stores/memory/index.ts'
import { defaultProtocols } from '../../../src/protocols/registry/index.ts'
import { decodeSse } from '../../../src/sse/index.ts'
import type { Speed } from './emulated-mill.ts'
import { dieAt, eventsIn, openServer, said, session, type SessionView } from './foreign-server.ts'
import type { Ability, Kit } from './kit.ts'

const asked = { euros: 3 }

/** Opens a server with the agent of a kit, which is closed afterwards. */
async function within(
  kit: Kit,
  check: (
    given: ReturnType<typeof openServer>,
    store: ReturnType<typeof createMemoryStore>,
  ) => Promise<void>,
  speed: Speed = 'instant',
): Promise<void> {
  const store = createMemoryStore()
  const server = openServer(kit.open(speed), store)
  try {
    await check(server, store)
  } finally {
    await server.handler.close()
  }
}

const typesIn = async (store: Parameters<typeof eventsIn>[0]): Promise<readonly string[]> =>
  (await eventsIn(store)).map(({ type }) => type)

/** The checks of the table; each throws where the agent of a kit lacks the ability. */
export const checks: Readonly<Record<Ability, (kit: Kit) => Promise<void>>> = {
  run: (kit) =>
    within(kit, async ({ ask, view }, store) => {
      expect(said(await ask('tool please'))).toContain('The tool said: rye is a grain')
      const types = await typesIn(store)
      expect(types.filter((type) => ['tool_result', 'step_end', 'run_end'].includes(type))).toEqual(
        ['step_end', 'tool_result', 'step_end', 'run_end'],
      )
      expect(types.filter((type) => type === 'text').length).toBeGreaterThan(4)
      expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    }),
  reasoning: (kit) =>
    within(kit, async ({ ask }, store) => {
      await ask('think please')
      const thinking = (await eventsIn(store)).flatMap((event) =>
        event.type === 'thinking' ? [event.text] : [],
      )
      expect(thinking.join('')).toBe('Grain becomes flour.')
    }),
  usage: (kit) =>
    within(kit, async ({ ask }, store) => {
      await ask('tool please')
      const end = (await eventsIn(store)).find(({ type }) => type === 'run_end')
      const { usage } = end as unknown as { usage: Record<string, number> }
      expect(usage['input_tokens']).toBeGreaterThan(0)
      expect(usage['output_tokens']).toBeGreaterThan(0)
    }),
  resume: (kit) =>
    within(
      kit,
      async ({ post, handler }) => {
        const body = { agent_uuid: session, user_prompt: 'a long answer' }
        const first = await readFrames(await post('run', body), 5)
        const last = first.at(-1)?.id ?? ''
        const url = `http://localhost/agent/${session}/stream`
        const headers = { 'last-event-id': last }
        const rest = await readFrames(await handler.fetch(new Request(url, { headers })), 5)
        const ids = [...first, ...rest].map(({ id }) => Number(id))
        expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index))
        expect(rest.every(({ data }) => data.includes('"type":"text"'))).toBe(true)
        await (await post(`${session}/stop`, {})).text()
      },
      'slow',
    ),
  formats: (kit) =>
    within(kit, async ({ ask, handler }) => {
      await ask('tool please')
      for (const { name } of defaultProtocols()) {
        const url = `http://localhost/agent/${session}/stream?format=${name}&after=0`
        const response = await handler.fetch(new Request(url))
        expect([name, response.status]).toEqual([name, 200])
        expect(await response.text()).toContain('rye is a grain')
      }
    }),
  history: (kit) =>
    within(kit, async ({ ask }) => {
      await ask('tool please')
      expect(said(await ask('recall please'))).toContain('I have spoken 2 times.')
    }),
  conversations: (kit) =>
    within(kit, async ({ ask, view }) => {
      await ask('tool please')
      const { conversations } = await view('/conversations')
      expect(conversations).toMatchObject([
        {
          final_response: 'The tool said: rye is a grain',
          messages: [
            { role: 'user', content: [{ text: 'tool please' }] },
            {
              role: 'assistant',
              content: [{ text: 'One moment.' }, { type: 'tool_use', name: 'look_up' }],
            },
            { role: 'user', content: [{ type: 'tool_result' }] },
            { role: 'assistant', content: [{ text: 'The tool said: rye is a grain' }] },
          ],
        },
      ])
    }),
  stop: (kit) =>
    within(
      kit,
      async ({ ask, post, view }, store) => {
        const run = ask('a long answer')
        await expect.poll(async () => hasText(store)).toBe(true)
        const begun = Date.now()
        await post(`${session}/stop`, {})
        expect(await run).toContain('aborted')
        expect(Date.now() - begun).toBeLessThan(5000)
        expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'aborted' })
        expect(await typesIn(store)).not.toContain('error')
      },
      'slow',
    ),
  error: (kit) =>
    within(kit, async ({ ask, view }, store) => {
      await ask('fail please')
      expect((await typesIn(store)).slice(-2)).toEqual(['error', 'run_end'])
      expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'error' })
      expect(said(await ask('tool please'))).toContain('The tool said: rye is a grain')
    }),
  frontend: (kit) =>
    within(kit, async ({ ask, answer, view }) => {
      await ask('browser please')
      const { pending = [], stop_reason: reason } = await view()
      expect(reason).toBe('awaiting_frontend_tools')
      const id = pending[0]?.tool_use_id ?? ''
      expect(said(await answer(id, '3 euros'))).toContain('The tool said: 3 euros')
      expect(said(await ask('recall please'))).toContain('I have spoken 2 times.')
    }),
  approve: async (kit) => {
    await within(kit, async ({ ask, decide, view }) => {
      await ask('approve please')
      expect(said(await decide(await pendingId(view), { decision: 'approve' }))).toContain(
        'The tool said: paid 3 euros',
      )
      expect(said(await ask('recall please'))).toContain('I have spoken 2 times.')
    })
    await within(kit, async ({ ask, decide, view }) => {
      await ask('approve please')
      const refused = await decide(await pendingId(view), { decision: 'refuse', reason: 'no' })
      expect(refused).not.toContain('paid 3 euros')
      expect(refused).toContain('refused')
      expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    })
  },
  edit: (kit) =>
    within(kit, async ({ ask, decide, view }) => {
      await ask('approve please')
      const id = await pendingId(view)
      expect(said(await decide(id, { decision: 'approve', input: { euros: 2 } }))).toContain(
        'paid 2 euros',
      )
    }),
  crash: async (kit) => {
    const prompt = 'a long answer'
    const { store, server } = await dieAt('turn', {
      dying: kit.open('slow'),
      next: kit.open('instant'),
      prompt,
    })
    expect((await typesIn(store)).filter((type) => type === 'rollback')).toHaveLength(1)
    expect(await server.view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    const { conversations } = await server.view('/conversations')
    expect(conversations?.[0]?.final_response).toMatch(/^You asked for a long answer.*Done\.$/)
    await server.handler.close()
  },
  steer: (kit) =>
    within(
      kit,
      async ({ ask, post }, store) => {
        const run = ask('a long answer')
        await expect.poll(async () => hasText(store)).toBe(true)
        const steered = await post(`${session}/steer`, { user_prompt: 'shorter' })
        await post(`${session}/stop`, {})
        await run
        expect(steered.status).toBe(200)
      },
      'slow',
    ),
}

/** Reads frames of a response, and closes it. */
async function readFrames(response: Response, count: number) {
  const frames: { readonly id: string; readonly data: string }[] = []
  for await (const events of decodeSse(response.body ?? new ReadableStream())) {
    for (const { id, data } of events) if (id !== undefined) frames.push({ id, data })
    if (frames.length >= count) return frames.slice(0, count)
  }
  throw new Error(`The response has only ${frames.length} frames.`)
}

async function hasText(store: Parameters<typeof eventsIn>[0]): Promise<boolean> {
  const isThere = (await store.info(session)) !== undefined
  return isThere && (await typesIn(store)).includes('text')
}

async function pendingId(view: () => Promise<SessionView>): Promise<string> {
  const { pending_approvals: pending, stop_reason: reason } = await view()
  expect(reason).toBe('awaiting_approval')
  expect(pending).toMatchObject([{ name: 'pay', input: asked }])
  return pending?.[0]?.tool_use_id ?? ''
}
