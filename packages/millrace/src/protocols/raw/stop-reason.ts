import { isPauseReason } from '../../envelope/index.ts'
/** The Messages API's words for reasons that chat completions give. */
const foreignReasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

/**
 * Why a message ended, in the API's words where it has one; `aborted` and the like stay, as readers take a reason that
 * they do not know for an end. A pause without a call that the reader could answer is one of the server.
 */
export function toStopReason(reason: string, hasWaiting: boolean): string {
  if (isPauseReason(reason)) return hasWaiting ? 'tool_use' : 'pause_turn'
  return foreignReasons.get(reason) ?? reason
}
