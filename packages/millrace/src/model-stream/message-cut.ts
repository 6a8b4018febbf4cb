import type { MessageOutcome, ModelFailure, ProviderEnd } from '../events/index.ts'

/** Why a message ends without the provider's own end. */
export interface MessageCut {
  readonly outcome: Exclude<MessageOutcome, ProviderEnd>
  readonly failure?: ModelFailure
}
