import type { CollectedEvent } from '../../events/index.ts'

/** The stages after which a call is not pending, even if its agent waits for other calls. [CALL-3] */
export const settledStages: ReadonlySet<string> = new Set([
  'approved',
  'refused',
  'expired',
  'answered',
])

/** Whether an event is an answer or a decision. */
export function isAnswer(event: CollectedEvent): boolean {
  return event.type === 'tool_status' && settledStages.has(event.stage)
}
