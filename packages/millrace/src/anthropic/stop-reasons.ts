import type { MessageRetry, ProviderEnd } from '../events/index.ts'

/** What the API's own end of a message means. */
export interface ReasonedEnd {
  readonly outcome: ProviderEnd
  readonly retry: MessageRetry
}

const finished: ReasonedEnd = { outcome: 'finished', retry: 'none' }

const ends: ReadonlyMap<string | null, ReasonedEnd> = new Map<string | null, ReasonedEnd>([
  ['refusal', { outcome: 'refused', retry: 'none' }],
  ['max_tokens', { outcome: 'truncated', retry: 'continue' }],
  // A longer conversation would not fit any better.
  ['model_context_window_exceeded', { outcome: 'truncated', retry: 'none' }],
  ['pause_turn', { outcome: 'paused', retry: 'continue' }],
  ['compaction', { outcome: 'paused', retry: 'continue' }],
])

/** How a message ended that gave this reason; reasons that are not in the table finish it. */
export function endOfReason(stopReason: string | null): ReasonedEnd {
  return ends.get(stopReason) ?? finished
}
