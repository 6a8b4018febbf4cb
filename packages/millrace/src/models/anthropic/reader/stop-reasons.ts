import type { MessageRetry, ProviderEnd } from '../../../events/index.ts'

interface ReasonedEnd {
  readonly outcome: ProviderEnd
  readonly retry: MessageRetry
}

const finished: ReasonedEnd = { outcome: 'finished', retry: 'none' }

const ends: ReadonlyMap<string | null, ReasonedEnd> = new Map<string | null, ReasonedEnd>([
  ['refusal', { outcome: 'refused', retry: 'none' }],
  ['max_tokens', { outcome: 'truncated', retry: 'continue' }],
  // A continued conversation would be even longer.
  ['model_context_window_exceeded', { outcome: 'truncated', retry: 'none' }],
  ['pause_turn', { outcome: 'paused', retry: 'continue' }],
  ['compaction', { outcome: 'paused', retry: 'continue' }],
])

/** Returns the outcome of a stop reason. Unknown reasons finish the message. */
export function endOfReason(stopReason: string | null): ReasonedEnd {
  return ends.get(stopReason) ?? finished
}
