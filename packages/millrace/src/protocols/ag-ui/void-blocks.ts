import { isGrowing, type Piece } from '../../events/index.ts'
import type { AgUiRun } from './ag-ui-run.ts'

/**
 * Takes messages back, each at its own cost: AG-UI can only replace all messages at once, but an activity takes the
 * place of the message whose id it has, and clients neither show activities that they do not know nor send them back.
 * Gives the ids of the messages.
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
    run.say(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  return [...agents.keys()]
}

/** A call gets a result first, or the client would think that it is to run it. */
function voidCall(
  run: AgUiRun,
  { agent, callId: toolCallId, block }: Record<'agent' | 'callId' | 'block', string>,
): readonly string[] {
  const call = run.calls.find(toolCallId)
  run.calls.forget(toolCallId)
  const messageId = call?.resultId ?? `${block}-void`
  if (call?.resultId === undefined) {
    const content = 'This call is void: the step is tried again.'
    const fields = { messageId, toolCallId, content, role: 'tool', metadata: { isVoid: true } }
    run.say(agent, 'TOOL_CALL_RESULT', fields)
  }
  return [call?.messageId ?? block, messageId]
}
