import { traitsOf, typeOfEvent } from '../envelope/index.ts'
import type { AgentEvent } from '../events/index.ts'

/** Catalogue names of events that have another name in agents. */
const catalogNames: Partial<Record<string, string>> = {
  block_citation: 'citation',
  tools_awaited: 'awaiting_frontend_tools',
  approvals_awaited: 'awaiting_approval',
  steered: 'user_message',
  prompt_queued: 'queued_prompt',
  compacted: 'compaction',
  step_rollback: 'rollback',
  files_ready: 'files',
  run_error: 'error',
} satisfies Partial<Record<AgentEvent['type'], string>>

/** Returns the frame type of an agent's event; those of a block depend on its kind. */
export function messageTypeOf(type: string): string {
  return typeOfEvent(catalogNames[type] ?? type)
}

/** Checks whether an event ends the frames that a rollback of its agent voids. [LIFE-8] */
export function isBoundaryEvent(type: AgentEvent['type']): boolean {
  return traitsOf(messageTypeOf(type))?.step === 'boundary'
}
