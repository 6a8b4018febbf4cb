import type { RunError } from '../../events/index.ts'
import type { Run } from '../run.ts'

/** Says why a run failed, and remembers it for its result. */
export function* emitError(run: Run, event: RunError): Generator<RunError, void, undefined> {
  run.error = event.error
  yield event
}
