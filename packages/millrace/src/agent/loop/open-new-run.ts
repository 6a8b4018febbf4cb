import { type AgentEvent, noCost, noUsage, type Prompt } from '../../events/index.ts'
import {
  type AgentState,
  type Parent,
  addTotals,
  appendMessage,
  settleLastAnswer,
  skippedCount,
  totalsOf,
} from '../state/index.ts'
import type { RunInput } from '../agent.ts'
import { shownCallIdsIn } from '../calls/call-ids.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import type { RunOpening } from './open-run.ts'
import { toPromptContent } from '../prompt-content.ts'
import { type AgentSettings, checkpoint } from '../run.ts'

const LEFT_UNANSWERED = 'The user did not answer this call but wrote a new message.'

/** Decisions of earlier runs that are stored to recognise repeated ones, which arrive soon. */
const KEPT_DECISIONS = 100

/** Starts a run with a prompt; open calls of an earlier run are closed in the same message. */
export function openNewRun(settings: AgentSettings, input: RunInput, prompt: Prompt): RunOpening {
  const content = toPromptContent(prompt)
  const prior = input.state ?? emptyState(settings, input.agent ?? settings.createId())
  const settled = { ...prior, messages: settleLastAnswer(prior.messages) }
  const closing = closeCalls(settled, LEFT_UNANSWERED)
  const unsent = [...(prior.unsent ?? []), ...closing.events]
  const messages = appendMessage(closing.state.messages, 'user', content)
  const runStart = skippedCount(prior) + messages.length - 1
  const { parent } = input
  const state: AgentState = {
    ...forgetRun(closing.state, settings),
    ...freshRun,
    ...(parent !== undefined && { parent, ...toEarlier(prior, parent) }),
    ...(unsent.length > 0 && { unsent }),
    runId: settings.createId(),
    messages,
    runStart,
    fileStart: prior.files?.length ?? 0,
  }
  const start: AgentEvent = {
    type: 'run_start',
    agent: state.agent,
    runId: state.runId,
    prompt,
    model: settings.model.id,
    name: settings.name,
    messages,
    ...(parent !== undefined && {
      parentAgent: parent.agent,
      parentToolUseId: parent.toolUseId,
    }),
  }
  return { state, events: [checkpoint(state), start], next: 'model', prompt }
}

/** Returns the earlier totals of a sub-agent that is resumed in the same run of its parent. */
function toEarlier(prior: AgentState, { runId }: Parent): Pick<AgentState, 'earlier'> {
  if (prior.parent?.runId !== runId) return {}
  const spent = totalsOf(prior)
  return { earlier: prior.earlier === undefined ? spent : addTotals(prior.earlier, spent) }
}

/** Drops the data of the previous run and bounds the rest, because every checkpoint contains the whole state. */
function forgetRun(state: AgentState, { maxKeptSubagents }: AgentSettings): AgentState {
  const { ended: _ended, unsent: _unsent, stopReason: _stopReason, earlier: _, ...kept } = state
  const { children, decisions } = kept
  return {
    ...kept,
    ...(children !== undefined && keepNewest(kept, children, maxKeptSubagents)),
    ...(decisions !== undefined && { decisions: newestOf(decisions, KEPT_DECISIONS) }),
  }
}

/** Drops old sub-agents but not the ids of their calls, which stay taken. [CALL-1] */
function keepNewest(
  { unlistedCalls = [] }: AgentState,
  children: Readonly<Record<string, AgentState>>,
  count: number,
): Pick<AgentState, 'children' | 'unlistedCalls'> {
  const kept = newestOf(children, count)
  const forgotten = Object.values(children).filter(({ agent }) => !Object.hasOwn(kept, agent))
  if (forgotten.length === 0) return { children }
  const calls = forgotten.flatMap((child) => [...shownCallIdsIn(child)])
  return { children: kept, unlistedCalls: [...unlistedCalls, ...calls] }
}

/** The fields that a new run resets. */
const freshRun = { steps: 0, usage: noUsage, cost: noCost, checks: 0 }

function emptyState({ name }: AgentSettings, agent: string): AgentState {
  return { agent, name, messages: [], runId: '', runStart: 0, ...freshRun }
}

function newestOf<Member>(
  record: Readonly<Record<string, Member>>,
  count: number,
): Readonly<Record<string, Member>> {
  const members = Object.entries(record)
  return Object.fromEntries(members.slice(Math.max(0, members.length - count)))
}
