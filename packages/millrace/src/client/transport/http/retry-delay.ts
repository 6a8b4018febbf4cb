/** How patient to be. */
export interface RetryOptions {
  /** The first delay before reconnecting; doubled with each loss in a row, then drawn at random below that. */
  readonly retryDelayMs?: number
  readonly maxRetryDelayMs?: number
  /** Gives a number from 0 to below 1. */
  readonly random?: () => number
}

/**
 * How long to wait before the next try, after so many losses in a row before this one: exponential with full
 * jitter, so that a thousand readers that lost the same server do not come back at once.
 */
export function toRetryDelay(
  attempt: number,
  { retryDelayMs = 250, maxRetryDelayMs = 8_000, random = Math.random }: RetryOptions,
): number {
  return random() * Math.min(maxRetryDelayMs, retryDelayMs * 2 ** attempt)
}
