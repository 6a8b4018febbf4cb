import type { Next } from '../run.ts'

/** The stop reason of a step that a user message interrupted. */
export const STEERED = 'steered'

/** The next move by the stop reason of a message; any other reason ends the run. */
const moves = new Map<string | undefined, Next>([
  ['tool_use', 'tools'],
  ['tool_calls', 'tools'],
  ['function_call', 'tools'],
  // The provider paused its own work and continues when it gets the message back.
  ['pause_turn', 'model'],
  ['compaction', 'model'],
])

/** Returns the next move of the loop after a message with this stop reason. */
export function nextAfter(stopReason: string | undefined): Next {
  return moves.get(stopReason) ?? 'end'
}
