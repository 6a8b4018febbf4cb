import type { SpanOutcome, WorkSpan } from '../../events/index.ts'
import type { Run } from '../run.ts'

/** Returns the span of the current step; a run that resumes after a pause opens it again. */
export function currentSpan(run: Run): WorkSpan {
  run.step ??= run.span.start('step', { step: Math.max(run.state.steps, 1) })
  return run.step
}

/** Ends the span of the current step and opens the next one. */
export function openStepSpan(run: Run): void {
  closeStepSpan(run)
  run.step = run.span.start('step', { step: run.state.steps + 1 })
}

/** Ends the span of a step, if one is open. */
export function closeStepSpan(run: Run, outcome?: SpanOutcome): void {
  run.step?.end(outcome)
  run.step = undefined
}
