import { failureIn, type RunError } from '../../events/index.ts'
import type { Run } from '../run.ts'

/** Emits the error of a run and stores it for the result. */
export function* emitError(run: Run, event: RunError): Generator<RunError, void, undefined> {
  run.error = failureIn(event)
  yield event
}
