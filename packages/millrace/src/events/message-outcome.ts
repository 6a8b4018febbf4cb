import type { ModelFailure } from './model-event.ts'

/**
 * The outcome of a message. The first four are ends by the provider: `truncated` by a token limit, `paused` if the
 * provider continues when it receives its content back. The others are interruptions.
 */
export type MessageOutcome =
  | 'finished'
  | 'refused'
  | 'truncated'
  | 'paused'
  | 'interrupted'
  | 'failed'
  | 'aborted'

/**
 * The possible reaction to the end of a message: repeat the same `request`, `continue` with a request that includes
 * the content so far, or `none`.
 */
export type MessageRetry = 'request' | 'continue' | 'none'

/** Outcomes that the provider reports. */
export type ProviderEnd = 'finished' | 'refused' | 'truncated' | 'paused'

const providerEnds: ReadonlySet<MessageOutcome> = new Set<ProviderEnd>([
  'finished',
  'refused',
  'truncated',
  'paused',
])

/** Checks for an outcome that the provider reported. */
export function isProviderEnd(outcome: MessageOutcome): outcome is ProviderEnd {
  return providerEnds.has(outcome)
}

/** Returns the possible reaction to an interrupted message; `isBegun` is true if a block had opened. */
export function retryOfCut(
  outcome: Exclude<MessageOutcome, ProviderEnd>,
  { isBegun, failure }: { readonly isBegun: boolean; readonly failure?: ModelFailure | undefined },
): MessageRetry {
  const mayPass = failure?.retriable ?? outcome === 'interrupted'
  if (outcome === 'aborted' || !mayPass) return 'none'
  return isBegun ? 'continue' : 'request'
}
