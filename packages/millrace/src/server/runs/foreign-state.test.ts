import { expect, test } from 'vitest'
import type { Agent, AgentCheckpoint, AgentCommand, StoredState } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { type AgentEvent, type Message, noUsage } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createHandler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'

/** The state of the agent below. Each message is a part of lane 0, the rest is in its cell. */
interface Purchase {
  readonly agent: string
  readonly runId: string
  /** The index of the first message of the run. */
  readonly start: number
  readonly messages: readonly Message[]
  readonly outcome?: 'approved' | 'refused'
}

/** The call of a run. No two calls of a session have the same id. [CALL-1] */
const callOf = (start: number) => ({ id: `pay ${start}`, name: 'pay', inputText: '{}' })

/** Encodes states in a custom form. */
class PurchaseWriter {
  #written: number

  constructor(written: number) {
    this.#written = written
  }

  checkpoint(state: Purchase): AgentCheckpoint {
    const { agent, runId, start, messages, outcome } = state
    const isAsked = outcome === undefined
    const call = callOf(start)
    return {
      type: 'checkpoint',
      pending: {
        calls: [],
        approvals: isAsked ? [{ ...call, agent }] : [],
        answered: isAsked ? [] : [{ toolUseId: call.id, kind: 'decision', agent }],
      },
      run: { id: runId, steps: 1, usage: noUsage, cost: null, files: [] },
      answer: isAsked ? '' : outcome,
      isCut: false,
      encode: () => {
        const fresh = messages.slice(this.#written)
        const numbered = fresh.map((message, index) => ({
          lane: 0,
          number: this.#written + index + 1,
          body: JSON.stringify(message),
        }))
        this.#written = messages.length
        const cell = JSON.stringify({ ...state, messages: messages.length })
        return [...numbered, { lane: 0, number: 0, body: cell }]
      },
      place: () => ({ after: start, upTo: messages.length }),
    }
  }
}

async function read(stored: StoredState): Promise<Purchase | undefined> {
  const cell = (await stored.cells()).get(0)
  if (cell === undefined) return undefined
  const { messages: upTo, ...rest } = JSON.parse(cell)
  return { ...rest, messages: await messagesIn(stored, { after: 0, upTo }) }
}

async function messagesIn(stored: StoredState, range: object): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const { body } of stored.parts(0, range)) messages.push(JSON.parse(body))
  return messages
}

/** An agent that asks a user about each payment, and keeps a state of its own form. */
const buyer: Agent = {
  name: 'buyer',
  recovery: 'continue',
  async *run({ agent, stored, prompt }): AsyncGenerator<AgentEvent | AgentCheckpoint> {
    const before = await read(stored)
    const known = before?.messages ?? []
    const writer = new PurchaseWriter(known.length)
    const end = {
      type: 'run_end',
      agent,
      steps: 1,
      usage: noUsage,
      messages: [],
      files: [],
    } as const
    if (before !== undefined && prompt === undefined) {
      const text = before.outcome ?? ''
      const said: Message = { role: 'assistant', content: [{ type: 'text', text }] }
      yield writer.checkpoint({ ...before, messages: [...known, said] })
      const { id: callId, name } = callOf(before.start)
      yield {
        type: 'tool_result',
        agent,
        callId,
        name,
        text,
        images: [],
        isError: false,
      }
      yield { ...end, stopReason: 'end_turn' }
      return
    }
    const runId = `run ${String(prompt)}`
    const asked: Message = { role: 'user', content: [{ type: 'text', text: String(prompt) }] }
    const call = callOf(known.length)
    const state = { agent, runId, start: known.length, messages: [...known, asked] }
    yield { type: 'run_start', agent, runId, prompt: prompt ?? '', model: 'none', messages: [] }
    const content = { type: 'tool_use', id: call.id, name: call.name, input: {} }
    const block = { agent, block: 0, kind: 'tool_call', content } as const
    yield { type: 'block_start', ...block }
    yield { type: 'block_end', ...block, inputText: call.inputText }
    yield { type: 'step_end', agent, step: 1, stopReason: 'tool_use', usage: noUsage }
    yield writer.checkpoint(state)
    yield { type: 'awaiting_approval', agent, calls: [call] }
    yield { ...end, stopReason: 'awaiting_approval' }
  },

  async offer(stored, command: AgentCommand) {
    const state = await read(stored)
    const [decision] = command.type === 'answer' ? (command.answers.decisions ?? []) : []
    if (state === undefined || decision?.toolUseId !== callOf(state.start).id)
      return { verdict: 'unknown', resumes: false }
    if (state.outcome === decision.outcome) return { verdict: 'repeated', resumes: false }
    if (state.outcome !== undefined) {
      const error = new MillraceError('conflict', 'The payment was decided otherwise.')
      return { verdict: 'conflict', resumes: false, error }
    }
    const writer = new PurchaseWriter(state.messages.length)
    const checkpoint = writer.checkpoint({ ...state, outcome: decision.outcome })
    return { verdict: 'taken', resumes: true, checkpoint }
  },

  conversation: async (stored, place) => ({ messages: await messagesIn(stored, place) }),
}

test('an agent with a custom state pauses, accepts its answer and has a history', async () => {
  const onViolation = (violation: unknown): never => {
    throw new Error(JSON.stringify(violation))
  }
  const options = { agents: { buyer }, defaultAgent: 'buyer', store: createMemoryStore() }
  const handler = createHandler({ ...options, onViolation })
  const send = async (path: string, body?: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await handler.fetch(new Request(`http://localhost/agent/${path}`, post))).text()
  }
  const view = async (path: string): Promise<unknown> => JSON.parse(await send(path))
  const decide = (run: number, decision: string) => {
    const approvals = [{ tool_use_id: `pay ${2 * run}`, decision }]
    return send('tool_approvals', { agent_uuid: session, approvals })
  }
  for (const [run, prompt] of ['rye', 'oats'].entries()) {
    await send('run', { agent_uuid: session, user_prompt: prompt })
    expect(await view(session)).toMatchObject({
      status: 'paused',
      pending_approvals: [{ tool_use_id: `pay ${2 * run}` }],
    })
    const taken = await decide(run, 'approve')
    expect(taken).toContain('end_turn')
    expect(await decide(run, 'approve')).toBe(taken)
    expect(await decide(run, 'refuse')).toContain('decided otherwise')
    const { conversations } = (await view(`${session}/conversations`)) as {
      readonly conversations: readonly object[]
    }
    expect(conversations).toHaveLength(run + 1)
    expect(conversations[0]).toMatchObject({
      run_id: `run ${prompt}`,
      final_response: 'approved',
      messages: [
        { role: 'user', content: [{ text: prompt }] },
        { role: 'assistant', content: [{ text: 'approved' }] },
      ],
    })
  }
  await handler.close()
})
