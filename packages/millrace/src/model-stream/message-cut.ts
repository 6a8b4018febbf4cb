import type { MessageOutcome, ModelFailure, ProviderEnd } from '../events/index.ts'

/** The reason why a message ended without the provider's end. */
export interface MessageCut {
  readonly outcome: Exclude<MessageOutcome, ProviderEnd>
  readonly failure?: ModelFailure
}
