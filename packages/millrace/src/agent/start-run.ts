import { type AgentEvent, type AwaitedCall, noUsage, type Prompt } from '../events/index.ts'
import { fromResultBlock } from '../tools/index.ts'
import type { AgentState } from './agent-state.ts'
import type { RunInput } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { appendMessage, findResult, settleLastAnswer } from './message-chain.ts'
import { openCalls } from './open-calls.ts'
import type { Opening } from './open-run.ts'
import { toPromptContent } from './prompt-content.ts'
import { type AgentSettings, checkpoint, toToolResult } from './run.ts'

const LEFT_UNANSWERED = 'The user did not answer this call but wrote a new message.'

/** Begins a run with a person's words; what an earlier run left open is closed in the same message. */
export function startRun(settings: AgentSettings, input: RunInput, prompt: Prompt): Opening {
  const content = toPromptContent(prompt)
  const prior = input.state ?? emptyState(input.agent ?? settings.createId())
  const closed = closeTurn(
    { ...prior, messages: settleLastAnswer(prior.messages) },
    LEFT_UNANSWERED,
  )
  const messages = appendMessage(closed.messages, 'user', content)
  const runStart = messages.length - 1
  const state = { ...emptyState(prior.agent), runId: settings.createId(), messages, runStart }
  const start: AgentEvent = {
    type: 'run_start',
    agent: state.agent,
    runId: state.runId,
    prompt,
    model: settings.model.id,
    name: settings.name,
    messages: messages.slice(runStart),
  }
  return { state, events: [checkpoint(state), start, ...lateResults(prior, state)], next: 'model' }
}

/** The results that the stream has not told yet, so that no call is seen without one. */
function lateResults(prior: AgentState, { agent, messages }: AgentState): AgentEvent[] {
  return untoldCalls(prior).flatMap((call) => {
    const block = findResult(messages.slice(-1), call.id)
    return block === undefined ? [] : [toToolResult(agent, call, fromResultBlock(block))]
  })
}

function untoldCalls({ turn, pause }: AgentState): readonly AwaitedCall[] {
  return pause === undefined ? openCalls(turn) : pause.calls.slice(pause.shown)
}

function emptyState(agent: string): AgentState {
  return { agent, messages: [], runId: '', runStart: 0, steps: 0, usage: noUsage }
}
