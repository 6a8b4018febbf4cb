import {
  type AgentEvent,
  failureIn,
  type RunEnd,
  type RunError,
  type SpanOutcome,
  toErrorEvent,
} from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import { closeCalls, toRunEnd } from '../subagents/close-agent.ts'
import { checkpoint, closeStepSpan, type Next, type Run } from '../run.ts'

const NOT_RUN = 'The tool was not run.'

/** Ends a run with any outcome. */
export function* endRun(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  run.isEnding = true
  if (run.state.pause === undefined) yield* closeOpenTurn(run, NOT_RUN)
  const { stopReason } = run
  run.state = { ...run.state, ended: stopReason }
  // The history is a reference; nothing is copied or encoded unless a reader asked for it.
  const end = { ...toRunEnd(run.state, stopReason), history: run.state.messages }
  closeStepSpan(run, { stopReason, ...toSpanError(run) })
  run.span.end(toOutcome(end, run.answer.text()))
  yield checkpoint(run.state)
  yield end
}

function toSpanError({ stopReason, error }: Run): Pick<SpanOutcome, 'error'> {
  if (stopReason !== 'error' || error === undefined) return {}
  return { error: { type: error.type, message: error.message } }
}

function toOutcome({ stopReason, steps, usage, cost }: RunEnd, text: string): SpanOutcome {
  return {
    stopReason,
    usage,
    steps,
    text,
    ...(cost && { costUsd: cost.total }),
    ...(stopReason === 'error' && { error: { type: 'run_error', message: 'The run failed.' } }),
  }
}

/** Ends a run after an internal error; its details go to the server's log, not to the reader. */
export function* failRun(run: Run, thrown: unknown): Generator<AgentEvent | Checkpoint, void> {
  run.settings.onError(thrown)
  run.stopReason = 'error'
  run.state = { ...run.state, stopReason: 'error' }
  yield* closeOpenTurn(run, NOT_RUN)
  const message = 'Something failed inside the agent; see the server’s log.'
  yield checkpoint(run.state)
  const error = { type: 'internal_error', message, code: 'internal', retriable: false }
  yield* emitError(run, toErrorEvent(run.state.agent, error))
  yield* endRun(run)
}

/**
 * Closes the open turn: its results become a message, in the order of the calls. A call without a result gets an error with `reason`, and
 * its sub-agents end.
 */
export function* closeOpenTurn(
  run: Run,
  reason: string,
): Generator<AgentEvent | Checkpoint, void, undefined> {
  const { state, events } = closeCalls(run.state, reason)
  run.state = events.length === 0 ? state : { ...state, unsent: events }
  yield* emitUnsent(run)
}

/** Emits the events that were not sent, each once, even if the process dies in between. */
export function* emitUnsent(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  for (;;) {
    const { unsent, ...state } = run.state
    if (unsent === undefined) return
    const [event, ...rest] = unsent
    run.state = rest.length === 0 ? state : { ...state, unsent: rest }
    if (event === undefined) return
    yield checkpoint(run.state)
    yield event
  }
}

/** Emits the error of a run and stores it for the result. */
export function* emitError(run: Run, event: RunError): Generator<RunError, void, undefined> {
  run.error = failureIn(event)
  yield event
}

/** The stop reason of a step that a user message interrupted. */
export const STEERED = 'steered'

/** The next move by the stop reason of a message; any other reason ends the run. */
const moves = new Map<string | undefined, Next>([
  ['tool_use', 'tools'],
  ['tool_calls', 'tools'],
  ['function_call', 'tools'],
  // The provider paused its own work and continues when it gets the message back.
  ['pause_turn', 'model'],
  ['compaction', 'model'],
])

/** Returns the next move after a message with a stop reason. */
export function nextAfter(stopReason: string | undefined): Next {
  return moves.get(stopReason) ?? 'end'
}
