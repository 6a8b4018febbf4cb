import type { ApprovalRequest, AnnouncedCall } from '../../events/index.ts'
import type { AgentState, Pause } from '../state/index.ts'
import type { WaitReason } from './call-update.ts'
import { decidedCall, hashCall } from './decide-call.ts'
import { checkpoint, currentSpan, type Next, type Run, type RunStream } from '../run.ts'

/**
 * Pauses the run for pending calls. The pause is stored before it is announced. Calls that were announced in this open turn are not
 * announced again.
 */
export async function* pauseRun(
  run: Run,
  left: readonly AnnouncedCall[],
  waits: ReadonlyMap<string, WaitReason>,
): RunStream<Next> {
  const waitingFor = (wait: WaitReason) => left.filter(({ id }) => waits.get(id) === wait)
  const calls = waitingFor('frontend').map((call) => decidedCall(run.state.turn, call))
  const approvals = waitingFor('approval').map((call) => withRequest(run, call))
  run.state = withPause(run.state, { calls, approvals })
  const { agent, turn } = run.state
  run.stopReason =
    calls.length > 0 || approvals.length === 0 ? 'awaiting_frontend_tools' : 'awaiting_approval'
  run.isEnding = true
  const fresh = unannounced(turn?.asked, approvals)
  if (fresh.length > 0) yield checkpoint(run.state)
  for (const { id, name } of fresh) {
    currentSpan(run).event('approval_requested', { call: id, tool: name })
    yield { type: 'tool_status', agent, callId: id, name, stage: 'approval_requested' }
  }
  if (announce(run, 'asked', approvals)) {
    yield checkpoint(run.state)
    yield { type: 'awaiting_approval', agent, calls: approvals }
  }
  if (announce(run, 'announced', calls)) {
    yield checkpoint(run.state)
    yield { type: 'awaiting_frontend_tools', agent, calls }
  }
  return 'end'
}

/** Pauses a state; its open turn keeps the approval requests, also when the run pauses again. */
function withPause(state: AgentState, pause: Pause): AgentState {
  const { turn } = state
  if (turn === undefined) return { ...state, pause }
  const asked = new Map(pause.approvals.map((call) => [call.id, call]))
  const calls = turn.calls.map((call) => asked.get(call.id) ?? call)
  return { ...state, pause, turn: { ...turn, calls } }
}

function withRequest(run: Run, call: AnnouncedCall): AnnouncedCall {
  if (call.request !== undefined) return call
  const { now, approvalTtlMs } = run
  const askedAt = now()
  const inputHash = hashCall(call)
  const request: ApprovalRequest = {
    askedAt,
    ...(approvalTtlMs !== undefined && { expiresAt: askedAt + approvalTtlMs }),
    ...(inputHash !== undefined && { inputHash }),
  }
  return { ...call, request }
}

/** Records calls as announced; false if all were. */
function announce(run: Run, list: 'asked' | 'announced', calls: readonly AnnouncedCall[]): boolean {
  const { turn } = run.state
  const known = turn?.[list] ?? []
  const ids = unannounced(known, calls).map(({ id }) => id)
  if (turn === undefined || ids.length === 0) return false
  run.state = { ...run.state, turn: { ...turn, [list]: [...known, ...ids] } }
  return true
}

function unannounced(known: readonly string[] = [], calls: readonly AnnouncedCall[]) {
  return calls.filter(({ id }) => !known.includes(id))
}
