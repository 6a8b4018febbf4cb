/** How many messages of a session are kept. */
export interface Retention {
  readonly maxMessages: number
  /** Messages are dropped so many at a time, so that few appends pay for it. */
  readonly blockMessages: number
}

/** The retention for a bound. */
export function createRetention(maxMessages: number): Retention {
  return { maxMessages, blockMessages: Math.min(1024, Math.ceil(maxMessages / 4)) }
}

/** Tells whether a session holds a block more than it may. */
export function isOverfull(earliest: number, tail: number, retention: Retention): boolean {
  return tail - earliest + 1 >= retention.maxMessages + retention.blockMessages
}

/** The id of the first message that is still kept, where so far it was `earliest`. */
export function earliestToKeep(earliest: number, tail: number, retention: Retention): number {
  return isOverfull(earliest, tail, retention) ? tail - retention.maxMessages + 1 : earliest
}
