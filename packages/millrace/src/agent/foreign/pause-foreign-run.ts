import type { AnnouncedCall, ApprovalRequest } from '../../events/index.ts'
import { hashCall } from '../calls/decide-call.ts'
import type { AgentRunOptions } from '../port/index.ts'
import { type AgentState, openCalls } from '../state/index.ts'
import type { RunWriter } from './run-writer.ts'

const NOT_AWAITED = 'The loop paused without a result of this call.'

/** Pauses a run for the calls that its loop waits for. Open calls that it does not wait for get an error. */
export function pauseRun(
  writer: RunWriter,
  { approvalTtlMs, now = Date.now }: AgentRunOptions,
): void {
  const { waits } = writer
  for (const call of openCalls(writer.state.turn))
    if (!waits.has(call.id))
      writer.putAnswer(call, { text: NOT_AWAITED, images: [], isError: true, content: NOT_AWAITED })
  const open = openCalls(writer.state.turn)
  const calls = open.filter(({ id }) => waits.get(id) === 'frontend')
  const approvals = open
    .filter(({ id }) => waits.get(id) === 'approval')
    .map((call) => withRequest(call, now(), approvalTtlMs))
  writer.state = withPause(writer.state, { calls, approvals })
  announcePause(writer)
}

/** Announces the pending calls of a paused state that were not announced before, and ends this part of the run. */
export function announcePause(writer: RunWriter): void {
  const { agent, pause = { calls: [], approvals: [] } } = writer.state
  const { calls, approvals } = pause
  const asked = unannounced(writer, 'asked', approvals)
  for (const { id: callId, name } of asked) {
    writer.save(writer.state)
    writer.emit({ type: 'tool_status', agent, callId, name, stage: 'approval_requested' })
  }
  if (asked.length > 0) {
    announce(writer, 'asked', approvals)
    writer.emit({ type: 'awaiting_approval', agent, calls: approvals })
  }
  if (unannounced(writer, 'announced', calls).length > 0) {
    announce(writer, 'announced', calls)
    writer.emit({ type: 'awaiting_frontend_tools', agent, calls })
  }
  writer.end(
    calls.length > 0 || approvals.length === 0 ? 'awaiting_frontend_tools' : 'awaiting_approval',
  )
}

function withRequest(call: AnnouncedCall, askedAt: number, ttlMs?: number): AnnouncedCall {
  const inputHash = hashCall(call)
  const request: ApprovalRequest = {
    askedAt,
    ...(ttlMs !== undefined && { expiresAt: askedAt + ttlMs }),
    ...(inputHash !== undefined && { inputHash }),
  }
  return { ...call, request }
}

/** Pauses a state; its open turn keeps the approval requests. */
function withPause(state: AgentState, pause: NonNullable<AgentState['pause']>): AgentState {
  const { turn } = state
  if (turn === undefined) return state
  const asked = new Map(pause.approvals.map((call) => [call.id, call]))
  const calls = turn.calls.map((call) => asked.get(call.id) ?? call)
  return { ...state, pause, turn: { ...turn, calls } }
}

function unannounced(
  { state }: RunWriter,
  list: 'asked' | 'announced',
  calls: readonly AnnouncedCall[],
): readonly AnnouncedCall[] {
  return calls.filter(({ id }) => state.turn?.[list]?.includes(id) !== true)
}

/** Records calls as announced, in a checkpoint for the announcement. */
function announce(
  writer: RunWriter,
  list: 'asked' | 'announced',
  calls: readonly AnnouncedCall[],
): void {
  const { turn } = writer.state
  if (turn === undefined) return
  const ids = unannounced(writer, list, calls).map(({ id }) => id)
  writer.state = {
    ...writer.state,
    turn: { ...turn, [list]: [...(turn[list] ?? []), ...ids] },
  }
  writer.save(writer.state)
}
