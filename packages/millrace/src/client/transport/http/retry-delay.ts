/** Options of retries. */
export interface RetryOptions {
  /** Maximum first delay. It doubles with each consecutive connection failure; the actual delay is random below it. */
  readonly retryDelayMs?: number
  readonly maxRetryDelayMs?: number
  /** Returns a random number from 0 to below 1. */
  readonly random?: () => number
}

/**
 * Returns the delay before the next retry: exponential with full jitter, so that a thousand readers of a failed server do not reconnect at
 * once. `attempt` is the number of earlier consecutive failures.
 */
export function toRetryDelay(
  attempt: number,
  { retryDelayMs = 250, maxRetryDelayMs = 8_000, random = Math.random }: RetryOptions,
): number {
  return random() * Math.min(maxRetryDelayMs, retryDelayMs * 2 ** attempt)
}
