import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  confirm,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import { runs } from '../../../test/support/runs.ts'
import type { ScriptedReply } from '../../../test/support/agents/scripted-model.ts'
import type { AgentState } from '../state/agent-state.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { RunInput } from '../agent.ts'

const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] }
const thought = { type: 'thinking', thinking: 'hm', signature: 'sig' }

const block = fc.oneof(
  fc.constantFrom(text('words'), text(' \n'), text(''), thought, search, found),
  fc.constantFrom('quick', 'slow', 'bad', 'ghost', 'confirm').map((name) => call('', name)),
)

const reply: fc.Arbitrary<ScriptedReply> = fc
  .record({
    content: fc.array(block, { maxLength: 4 }),
    isOpen: fc.boolean(),
    stopReason: fc.constantFrom(
      undefined,
      undefined,
      null,
      'max_tokens',
      'pause_turn',
      'refusal',
      'tool_use',
      'odd',
    ),
    outcome: fc.constantFrom(
      'finished',
      'finished',
      'finished',
      'refused',
      'truncated',
      'paused',
      'interrupted',
      'failed',
      'aborted',
    ),
    retriable: fc.boolean(),
  })
  .map(({ content, isOpen, stopReason, outcome, retriable }) => ({
    content,
    outcome,
    ...(stopReason !== undefined && { stopReason }),
    ...(isOpen && { openBlock: text('cut') }),
    ...(outcome === 'failed' && { failure: { type: 'x', message: 'y', retriable } }),
  }))

/** Assigns a separate id to every call. */
function numbered(replies: readonly ScriptedReply[]): ScriptedReply[] {
  let ids = 0
  return replies.map((each) => ({
    ...each,
    content: (each.content ?? []).map((part) =>
      part.type === 'tool_use' ? { ...part, id: `t${++ids}` } : part,
    ),
  }))
}

const bad = tool('bad', () => {
  throw new Error('no')
})
const slow = defineTool({
  name: 'slow',
  description: '',
  input: anything,
  run: () => new Promise((resolve) => setTimeout(resolve)),
})

/** A paused conversation has pending calls; any other must be complete. */
function stateFaults({ pause, messages }: AgentState): string[] {
  return pause === undefined ? chainFaults(messages) : []
}

/** The next action of a user: write, answer all pending calls, or resume the stored state. */
function nextInput(state: AgentState, move: 'prompt' | 'answer' | 'recover'): RunInput {
  if (move === 'prompt' || (state.pause !== undefined && move === 'recover'))
    return { state, prompt: 'next' }
  const results = state.pause?.calls.map(({ id }) => ({ toolUseId: id, content: 'ok' }))
  return results === undefined ? { state } : { state, results }
}

test('any model behavior with a stop at any time gives a valid conversation and one run_end, always last', async () => {
  const moves = fc.array(fc.constantFrom('prompt', 'answer', 'recover'), {
    minLength: 1,
    maxLength: 4,
  })
  const stops = fc.array(fc.option(fc.nat(30)), { minLength: 5, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { maxLength: 8 }),
      moves,
      stops,
      async (replies, steps, stopAt) => {
        const { agent, model } = setUpAgent(numbered(replies), {
          tools: [tool('quick'), slow, bad, confirm],
          maxSteps: 6,
          abortGraceMs: 0,
        })
        let input: RunInput = { prompt: 'go' }
        for (const [index, move] of [...steps, 'prompt' as const].entries()) {
          const controller = new AbortController()
          let left = stopAt[index] ?? Infinity
          const { events, states } = await collect(
            agent,
            input,
            () => left-- === 0 && controller.abort(),
            controller.signal,
          )
          expect(events.filter(({ type }) => type === 'run_end')).toHaveLength(1)
          expect(events.at(-1)?.type).toBe('run_end')
          const state = JSON.parse(JSON.stringify(states.at(-1))) as AgentState
          expect(stateFaults(state)).toEqual([])
          input = nextInput(state, move)
        }
        for (const { messages } of model.requests) expect(chainFaults(messages)).toEqual([])
      },
    ),
    { numRuns: runs(300, 20_000) },
  )
})

test('any stored state can resume a run or begin a new one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { maxLength: 4 }),
      fc.nat(),
      fc.boolean(),
      async (replies, pick, isNew) => {
        const tools = [tool('quick'), slow, bad, confirm]
        const { states } = await collect(setUpAgent(numbered(replies), { tools }).agent, {
          prompt: 'go',
        })
        const state = JSON.parse(JSON.stringify(states[pick % states.length])) as AgentState
        const { agent, model } = setUpAgent([], { tools })
        const rest = await collect(
          agent,
          isNew ? { state, prompt: 'next' } : nextInput(state, 'answer'),
        )
        expect(rest.end?.type).toBe('run_end')
        expect(stateFaults(rest.state)).toEqual([])
        for (const { messages } of model.requests) expect(chainFaults(messages)).toEqual([])
      },
    ),
    { numRuns: runs(300, 20_000) },
  )
})
