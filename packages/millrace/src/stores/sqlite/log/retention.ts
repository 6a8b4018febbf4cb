/** Limits of the stored frames of a session. */
export interface Retention {
  readonly maxMessages: number
  /** Number of frames that are dropped at once, so that few appends bear the cost. */
  readonly blockMessages: number
}

/** Creates the retention for a maximum number of frames. */
export function createRetention(maxMessages: number): Retention {
  return { maxMessages, blockMessages: Math.min(1024, Math.ceil(maxMessages / 4)) }
}

/** Whether a session exceeds the maximum by a block or more. */
export function isOverfull(earliest: number, tail: number, retention: Retention): boolean {
  return tail - earliest + 1 >= retention.maxMessages + retention.blockMessages
}

/** Returns the id of the first frame to keep. */
export function earliestToKeep(earliest: number, tail: number, retention: Retention): number {
  return isOverfull(earliest, tail, retention) ? tail - retention.maxMessages + 1 : earliest
}
