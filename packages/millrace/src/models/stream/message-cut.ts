import type { MessageOutcome, ModelFailure, ProviderEnd } from '../../events/index.ts'

/** The reason why a message ended without the provider's end. */
export interface MessageCut {
  readonly outcome: Exclude<MessageOutcome, ProviderEnd>
  readonly failure?: ModelFailure
}

/** Creates the cut for a frame that is not a JSON object. */
export function malformedFrame(data: string): MessageCut {
  const message = `A frame of the model’s stream is not a JSON object: ${JSON.stringify(data.slice(0, 80))}`
  return { outcome: 'failed', failure: { type: 'malformed_frame', message, retriable: true } }
}
