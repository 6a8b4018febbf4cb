/** What a delay is computed from. */
export interface RetryDelayOptions {
  /** The count of losses in a row, from 1. */
  readonly attempt: number
  readonly retryDelayMs: number
  readonly maxRetryDelayMs: number
  /** What the server asked for at least. */
  readonly retryAfterMs: number
  /** Gives a number from 0 to below 1. */
  readonly random: () => number
}

/**
 * How long to wait before the next try: exponential with full jitter, so that a thousand readers that lost
 * the same server do not come back at once.
 */
export function toRetryDelay({
  attempt,
  retryDelayMs,
  maxRetryDelayMs,
  retryAfterMs,
  random,
}: RetryDelayOptions): number {
  const ceiling = Math.min(maxRetryDelayMs, retryDelayMs * 2 ** (attempt - 1))
  return Math.max(retryAfterMs, random() * ceiling)
}
