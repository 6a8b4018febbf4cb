import {
  type AgentEvent,
  type ContentBlock,
  isResult,
  noUsage,
  type Prompt,
} from '../../events/index.ts'
import { parseJsonOr } from '../../json/index.ts'
import { errorAnswer, fromResultBlock } from '../../tools/index.ts'
import { canResume } from '../calls/answer-pause.ts'
import { withVoidCalls } from '../calls/call-ids.ts'
import { isPast, withDecision } from '../calls/decide-call.ts'
import { markReported, toDecisionStatus } from '../calls/report-answers.ts'
import type { RunStart } from '../port/index.ts'
import { toPromptContent } from '../prompt-content.ts'
import {
  type AgentState,
  answerTo,
  type Decision,
  decisionOn,
  type OpenTurn,
  openCalls,
  settleLastAnswer,
} from '../state/index.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import type { ForeignLoop } from './foreign-loop.ts'
import type { LoopAnswer } from './loop-event.ts'
import type { RunWriter } from './run-writer.ts'

const LEFT_UNANSWERED = 'The user did not answer this call but wrote a new message.'
const STOPPED = 'The user stopped the run; this call was not answered.'
const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running; its outcome is unknown. Check before you call it again.'
const EXPIRED = 'Nobody decided on this call in time, so it was not run.'
const INTERRUPTED = 'The server stopped during this step; the step is repeated.'

/** Creates the state of a session without one. */
export function emptyState({ name }: ForeignLoop, agent: string): AgentState {
  const spent = { steps: 0, usage: noUsage, cost: null }
  return { agent, name, messages: [], runId: '', runStart: 0, ...spent }
}

/** Returns the state of a new run with its prompt; calls of an earlier run get an error. */
export function withPrompt(prior: AgentState, prompt: Prompt): AgentState {
  const settled = { ...prior, messages: settleLastAnswer(prior.messages) }
  const { state, events } = closeCalls(settled, LEFT_UNANSWERED)
  const { ended: _ended, stopReason: _stopReason, unsent = [], ...kept } = state
  // Not in one message with results before it: loops remember messages, and servers know them by their ids.
  const asked = { role: 'user', content: toPromptContent(prompt) } as const
  const messages = [...state.messages, asked]
  return {
    ...kept,
    runId: crypto.randomUUID(),
    messages,
    runStart: messages.length - 1,
    steps: 0,
    usage: noUsage,
    cost: null,
    ...(unsent.length + events.length > 0 && { unsent: [...unsent, ...events] }),
  }
}

/** Creates the first event of a run. */
export function toRunStart(
  { agent, runId, messages }: AgentState,
  { name, model = 'unknown' }: ForeignLoop,
  prompt: Prompt,
): AgentEvent {
  return { type: 'run_start', agent, runId, prompt, model, name, messages }
}

/** Continues a run from its stored state. Returns whether the loop has work to do, or the run pauses or ends. */
export function continueRun(
  writer: RunWriter,
  loop: ForeignLoop,
  {
    stop,
    unsettled = [],
    now = Date.now(),
  }: Pick<RunStart, 'stop' | 'unsettled'> & { readonly now?: number },
): 'loop' | 'pause' | 'end' {
  const { agent } = writer.state
  for (const { isShown, calls } of unsettled) {
    writer.state = withVoidCalls(writer.state, agent, calls)
    if (!isShown) continue
    const step = writer.state.steps + 1
    writer.emit({ type: 'rollback', agent, step, attempt: 2, reason: INTERRUPTED })
  }
  writer.sendUnsent()
  const { pause, ended } = writer.state
  if (stop !== undefined) {
    writer.closeCalls(STOPPED)
    writer.stopReason = 'aborted'
    return 'end'
  }
  if (pause !== undefined) {
    if (!canResume(writer.state)) return 'pause'
    reportAnswers(writer, loop, now)
    return 'loop'
  }
  if (ended !== undefined) return 'end'
  if (loop.recovery === 'continue') {
    writer.closeCalls(OUTCOME_UNKNOWN)
    return writer.state.messages.at(-1)?.role === 'assistant' ? 'end' : 'loop'
  }
  // A run that is repeated gets its approvals again, but not those that have expired since. [APR-4]
  reportAnswers(writer, loop, now)
  return 'loop'
}

/** Reports the decisions and results for which the run paused, and approvals that have expired since. */
function reportAnswers(writer: RunWriter, { reportsRefusals }: ForeignLoop, now: number): void {
  const { pause: _, ended: _ended, ...state } = writer.state
  writer.state = state
  const { agent } = state
  for (const call of openCalls(state.turn)) {
    const { id, name } = call
    const { decision, isNew } = decisionAt(writer.state, id, now)
    const { turn } = writer.state
    if (turn !== undefined && decision !== undefined && isNew) {
      const decided = { ...writer.state, turn: withDecision(turn, id, decision) }
      writer.state = markReported(decided, agent, { list: 'decided', id })
      writer.save()
      writer.emit(toDecisionStatus({ agent, id, name }, decision))
    }
    const answer = turn && answerTo(turn, id)
    if (answer !== undefined) writer.putAnswer(call, fromResultBlock(answer))
    // A second result of one call would fail the run.
    else if (reportsRefusals === true) continue
    else if (decision?.outcome === 'expired') writer.putAnswer(call, errorAnswer(EXPIRED))
    else if (decision?.outcome === 'refused')
      writer.putAnswer(call, errorAnswer(toRefusal(decision.reason)))
  }
}

/** Returns the decision on a call, and whether no event has reported it. An approval expires if its tool does not start in time. [APR-4] */
function decisionAt(
  { turn }: AgentState,
  id: string,
  now: number,
): { readonly decision?: Decision; readonly isNew: boolean } {
  const decision = turn && decisionOn(turn, id)
  if (decision === undefined) return { isNew: false }
  if (decision.outcome === 'approved' && isPast(decision.expiresAt, now))
    return { decision: { ...decision, outcome: 'expired' }, isNew: true }
  return { decision, isNew: turn?.decided?.includes(id) !== true }
}

function toRefusal(reason = ''): string {
  return `The user refused this call; it was not run.${reason === '' ? '' : ` Their reason: ${reason}`}`
}

/** Lists the answers in an open turn, for the loop. */
export function answersIn(
  turn: OpenTurn | undefined,
  { reportsRefusals }: Pick<ForeignLoop, 'reportsRefusals'> = {},
): readonly LoopAnswer[] {
  if (turn === undefined) return []
  return turn.calls.flatMap(({ id: callId, name, inputText }): LoopAnswer[] => {
    const decision = decisionOn(turn, callId)
    const { inputText: edited, reason = decision?.outcome === 'expired' ? EXPIRED : undefined } =
      decision ?? {}
    const input = parseJsonOr(edited ?? inputText, {})
    const call = { callId, name, input, isEdited: edited !== undefined }
    const block = turn.results.find((one) => isResult(one) && one['tool_use_id'] === callId)
    // The loop has given it before a crash; it must not run the tool again.
    const isOver =
      block !== undefined && (decision?.outcome === 'approved' || reportsRefusals === true)
    if (decision !== undefined && !isOver) {
      const kind = decision.outcome === 'approved' ? 'approved' : 'refused'
      const none = { content: '', isError: false }
      return [{ ...call, kind, ...none, ...(reason !== undefined && { reason }) }]
    }
    const isAnswer = decision !== undefined || turn.announced?.includes(callId) === true
    if (block === undefined || !isAnswer) return []
    const content = block['content'] as string | readonly ContentBlock[]
    return [{ ...call, kind: 'result', content, isError: block['is_error'] === true }]
  })
}
