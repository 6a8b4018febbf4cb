import type { RunWriter } from './run-writer.ts'

const STOPPED = 'The run was stopped before this call was answered.'
const FAILED = 'The run failed before this call was answered.'

/** Ends a run that a user has stopped. */
export function endStopped(writer: RunWriter): void {
  writer.abandon(STOPPED)
  writer.end('aborted')
}

/** Ends a run whose loop has ended or failed. */
export function endRun(writer: RunWriter): void {
  const { failure, stopReason, state } = writer
  if (failure !== undefined) {
    writer.abandon(FAILED)
    writer.reportFailure()
    return writer.end('error')
  }
  writer.closeCalls()
  writer.end(stopReason ?? state.ended ?? state.stopReason ?? 'end_turn')
}

/** Stores the state of a run whose loop has thrown; the server reports the error and the end. */
export function abandonRun(writer: RunWriter): void {
  writer.abandon(FAILED)
  writer.save(writer.state)
}
