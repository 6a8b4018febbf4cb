import { type EnvelopeType, isStepBoundary } from '../envelope/index.ts'
import type { AgentEvent } from '../events/index.ts'

/** The message that each event becomes; the messages of a block depend on its kind. */
export const messageTypes = {
  run_start: 'meta_init',
  block_start: undefined,
  block_delta: undefined,
  block_citation: 'citation',
  block_end: undefined,
  tool_result: 'tool_result',
  tools_awaited: 'awaiting_frontend_tools',
  approvals_awaited: 'awaiting_approval',
  tool_status: 'tool_status',
  steered: 'user_message',
  prompt_queued: 'queued_prompt',
  compacted: 'meta_compaction',
  step_end: 'meta_step',
  step_rollback: 'rollback',
  files_ready: 'meta_files',
  run_error: 'error',
  run_end: 'meta_end',
} as const satisfies Readonly<Record<AgentEvent['type'], EnvelopeType | undefined>>

/** Tells whether an event ends what a rollback of its agent can void. [LIFE-8] */
export function isBoundaryEvent(type: AgentEvent['type']): boolean {
  const message = messageTypes[type]
  return message !== undefined && isStepBoundary(message)
}
