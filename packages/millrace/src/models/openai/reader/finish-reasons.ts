import type { MessageRetry, ProviderEnd } from '../../../events/index.ts'

/** The meaning of a `finish_reason`. */
export interface FinishTraits {
  /** `failed` for an error of the provider. */
  readonly outcome: ProviderEnd | 'failed'
  readonly retry: MessageRetry
  /** Whether calls are run after this end. */
  readonly runsCalls: boolean
}

const ordinary: FinishTraits = { outcome: 'finished', retry: 'none', runsCalls: true }
const truncated: FinishTraits = { outcome: 'truncated', retry: 'continue', runsCalls: false }
const refused: FinishTraits = { outcome: 'refused', retry: 'none', runsCalls: false }
const failed: FinishTraits = { outcome: 'failed', retry: 'request', runsCalls: false }
const unknown: FinishTraits = { outcome: 'finished', retry: 'none', runsCalls: false }

/** Reasons of OpenAI first, then those of other servers. */
const reasons: ReadonlyMap<string, FinishTraits> = new Map([
  ['stop', ordinary],
  ['tool_calls', ordinary],
  ['function_call', ordinary],
  ['length', truncated],
  ['content_filter', refused],
  ['end_turn', ordinary],
  ['eos', ordinary],
  ['eos_token', ordinary],
  ['stop_sequence', ordinary],
  ['tool_call', ordinary],
  ['tool_use', ordinary],
  ['max_tokens', truncated],
  ['model_length', truncated],
  ['recitation', refused],
  ['refusal', refused],
  ['safety', refused],
  ['sensitive', refused],
  ['abort', failed],
  ['cancelled', failed],
  ['error', failed],
  ['insufficient_system_resource', failed],
  ['network_error', failed],
  ['timeout', failed],
])

/**
 * Returns the traits of a reason. An unknown one ends the message without running calls; a missing one counts as
 * ordinary.
 */
export function traitsOfFinish(reason: string | null): FinishTraits {
  if (reason === null) return ordinary
  return reasons.get(reason.toLowerCase()) ?? unknown
}
