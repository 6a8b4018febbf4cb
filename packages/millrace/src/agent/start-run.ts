import { type AgentEvent, noCost, noUsage, type Prompt } from '../events/index.ts'
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
  const prior = input.state ?? emptyState(settings, input.agent ?? settings.createId())
  const closed = closeTurn(
    { ...prior, messages: settleLastAnswer(prior.messages) },
    LEFT_UNANSWERED,
  )
  const messages = appendMessage(closed.messages, 'user', content)
  const runStart = messages.length - 1
  const { parent } = input
  const state: AgentState = {
    ...closed,
    ...freshRun,
    ...(parent !== undefined && { parent }),
    runId: settings.createId(),
    messages,
    runStart,
  }
  const start: AgentEvent = {
    type: 'run_start',
    agent: state.agent,
    runId: state.runId,
    prompt,
    model: settings.model.id,
    name: settings.name,
    messages: messages.slice(runStart),
    ...(parent !== undefined && {
      parentAgent: parent.agent,
      parentToolUseId: parent.toolUseId,
    }),
  }
  return { state, events: [checkpoint(state), start, ...lateResults(prior, state)], next: 'model' }
}

/** The results that the stream has not told yet, so that no call is seen without one. */
export function lateResults(prior: AgentState, { agent, messages }: AgentState): AgentEvent[] {
  return openCalls(prior.turn).flatMap((call) => {
    const block = findResult(messages.slice(-1), call.id)
    return block === undefined ? [] : [toToolResult(agent, call, fromResultBlock(block))]
  })
}

/** What a new run forgets of the one before. */
const freshRun = { steps: 0, usage: noUsage, cost: noCost, checks: 0, announced: [] }

function emptyState({ name }: AgentSettings, agent: string): AgentState {
  return { agent, name, messages: [], runId: '', runStart: 0, ...freshRun }
}
