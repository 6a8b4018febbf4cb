import { isGrowing, type Piece } from '../../events/index.ts'
import type { AgUiRun } from './ag-ui-run.ts'

/**
 * Voids messages one by one, and returns their ids. AG-UI can only replace all messages at once. But an activity replaces the message with
 * its id, and clients neither show nor send back unknown activities.
 */
export function voidBlocks(run: AgUiRun, voided: readonly Piece[]): readonly string[] {
  const agents = new Map<string, string>()
  for (const piece of voided) {
    if (!isGrowing(piece)) continue
    const { agent, block } = piece
    const callId = 'callId' in piece ? piece.callId : ''
    for (const id of callId === '' ? [block] : voidCall(run, { agent, callId, block })) {
      agents.set(id, agent)
    }
  }
  for (const [messageId, agent] of agents) {
    const fields = { messageId, activityType: 'millrace.void', content: {}, replace: true }
    run.emit(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  return [...agents.keys()]
}

/** Adds a result to a call first, because a client would otherwise run it. */
function voidCall(
  run: AgUiRun,
  { agent, callId: toolCallId, block }: Record<'agent' | 'callId' | 'block', string>,
): readonly string[] {
  const call = run.calls.find(toolCallId)
  run.calls.forget(toolCallId)
  const messageId = call?.resultId ?? `${block}-void`
  if (call?.resultId === undefined) {
    const content = 'This call is void: the step is retried.'
    const fields = { messageId, toolCallId, content, role: 'tool', metadata: { isVoid: true } }
    run.emit(agent, 'TOOL_CALL_RESULT', fields)
  }
  return [call?.messageId ?? block, messageId]
}
