import { isPauseReason } from '../../events/index.ts'
/** Stop reasons of the Messages API by those of chat completions. */
const foreignReasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

/**
 * Converts a stop reason to the Messages API. Unknown reasons, such as `aborted`, stay unchanged: readers treat them as an end. A pause
 * without a call that the reader could answer becomes a pause of the server.
 */
export function toStopReason(reason: string, hasWaiting: boolean): string {
  if (isPauseReason(reason)) return hasWaiting ? 'tool_use' : 'pause_turn'
  return foreignReasons.get(reason) ?? reason
}
