import { isProviderEnd, type MessageEnd } from '../../events/index.ts'
import type { AgentSettings } from '../run.ts'

/**
 * How long to wait before a failed model call is made again, or undefined if it is not. The delay doubles from
 * attempt to attempt, half of it by chance; what the provider asks for goes before that.
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
