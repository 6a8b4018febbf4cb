import type { Next } from '../run.ts'

/** Why a step ended that a person's message has cut. */
export const STEERED = 'steered'

/** What follows a message, by the reason that the model gave for its end; any other reason ends the run. */
const moves = new Map<string | undefined, Next>([
  ['tool_use', 'tools'],
  ['tool_calls', 'tools'],
  ['function_call', 'tools'],
  // The provider stopped in the middle of its own work and goes on when it is given its words back.
  ['pause_turn', 'model'],
  ['compaction', 'model'],
])

/** Where the loop goes after a message that ended for this reason. */
export function nextAfter(stopReason: string | undefined): Next {
  return moves.get(stopReason) ?? 'end'
}
