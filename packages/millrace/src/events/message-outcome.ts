import type { ModelFailure } from './model-event.ts'

/**
 * How a message ended. The first four came with the provider's own end: `truncated` where a limit of tokens cut
 * it, `paused` where the provider goes on when it is given its words back. The others are cuts.
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
 * What may be done about the end of a message: make the same `request` again, `continue` with a request that
 * carries what came, or neither.
 */
export type MessageRetry = 'request' | 'continue' | 'none'

/** The ends that a provider says itself. */
export type ProviderEnd = 'finished' | 'refused' | 'truncated' | 'paused'

const providerEnds: ReadonlySet<MessageOutcome> = new Set<ProviderEnd>([
  'finished',
  'refused',
  'truncated',
  'paused',
])

/** Tells whether a message came to the provider's own end, whatever that was. */
export function isProviderEnd(outcome: MessageOutcome): outcome is ProviderEnd {
  return providerEnds.has(outcome)
}

/** What may be done about a message that was cut; `isBegun` tells whether a block of it had opened. */
export function retryOfCut(
  outcome: Exclude<MessageOutcome, ProviderEnd>,
  { isBegun, failure }: { readonly isBegun: boolean; readonly failure?: ModelFailure | undefined },
): MessageRetry {
  const mayPass = failure?.retriable ?? outcome === 'interrupted'
  if (outcome === 'aborted' || !mayPass) return 'none'
  return isBegun ? 'continue' : 'request'
}
