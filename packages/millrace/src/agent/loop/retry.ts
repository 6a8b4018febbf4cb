import { isProviderEnd, type MessageEnd } from '../../events/index.ts'
import type { AgentSettings } from '../run.ts'

/**
 * Returns the delay before a failed model call is retried; undefined if it is not. The delay doubles with each attempt, half of it is
 * random, and a delay that the provider requests takes precedence.
 */
export function retryDelayMs(
  settings: AgentSettings,
  { outcome, failure }: MessageEnd,
  attempt: number,
): number | undefined {
  const { retries, retryDelayMs: firstDelayMs, maxRetryDelayMs, random } = settings
  const isRetriable = failure?.retriable ?? outcome === 'interrupted'
  if (isProviderEnd(outcome) || outcome === 'aborted' || !isRetriable) return undefined
  if (attempt > retries) return undefined
  if (failure?.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= maxRetryDelayMs ? failure.retryAfterMs : undefined
  }
  const delayMs = firstDelayMs * 2 ** (attempt - 1) * (0.5 + random() / 2)
  return Math.min(delayMs, maxRetryDelayMs)
}
