import type { AgentEvent } from '../events/index.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { toFinalAnswer } from './final-answer.ts'
import { checkpoint, type Run } from './run.ts'
import { totalsOf } from './run-totals.ts'

/** Says the last word of a run, whatever became of it. */
export function* endRun(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  run.isEnding = true
  if (run.state.turn !== undefined && run.state.pause === undefined)
    run.state = closeTurn(run.state)
  const { agent, messages, runStart, steps, files = [] } = run.state
  const { stopReason } = run
  const { usage, cost } = totalsOf(run.state)
  const said = messages.slice(runStart)
  run.span.end({
    stopReason,
    usage,
    steps,
    text: toFinalAnswer(said),
    ...(cost !== null && { costUsd: cost.total }),
    ...(stopReason === 'error' && { error: { type: 'run_error', message: 'The run failed.' } }),
  })
  yield checkpoint(run.state)
  yield { type: 'run_end', agent, stopReason, steps, usage, cost, messages: said, files }
}

/** Ends a run that an error of ours has broken; what happened goes to the server's log, not to the reader. */
export function* failRun(run: Run, error: unknown): Generator<AgentEvent | Checkpoint, void> {
  run.settings.onError(error)
  run.stopReason = 'error'
  const message = 'Something failed inside the agent; the server’s log says what.'
  yield {
    type: 'run_error',
    agent: run.state.agent,
    error: { type: 'internal_error', message, code: 'internal', retriable: false },
  }
  yield* endRun(run)
}
