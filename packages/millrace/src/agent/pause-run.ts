import type { AwaitedCall } from '../events/index.ts'
import type { Wait } from './deed.ts'
import { decidedCall } from './edited-call.ts'
import { checkpoint, type Next, type Run, type RunStream } from './run.ts'
import { currentSpan } from './step-span.ts'

/**
 * Leaves the rest of a turn to people: the pause is stored as a value before it is announced. What was announced
 * in this turn before is not announced again.
 */
export async function* pauseRun(
  run: Run,
  left: readonly AwaitedCall[],
  waits: ReadonlyMap<string, Wait>,
): RunStream<Next> {
  const { agent, turn } = run.state
  const waitingFor = (wait: Wait) => left.filter(({ id }) => waits.get(id) === wait)
  const calls = waitingFor('frontend').map((call) => decidedCall(turn, call))
  const approvals = waitingFor('approval')
  run.state = { ...run.state, pause: { calls, approvals } }
  run.stopReason =
    calls.length > 0 || approvals.length === 0 ? 'awaiting_frontend_tools' : 'awaiting_approval'
  run.isEnding = true
  const fresh = unannounced(turn?.asked, approvals)
  if (fresh.length > 0) yield checkpoint(run.state)
  for (const { id, name } of fresh) {
    currentSpan(run).event('approval_requested', { call: id, tool: name })
    yield { type: 'tool_status', agent, id, name, stage: 'approval_requested' }
  }
  if (announce(run, 'asked', approvals)) {
    yield checkpoint(run.state)
    yield { type: 'approvals_awaited', agent, calls: approvals }
  }
  if (announce(run, 'announced', calls)) {
    yield checkpoint(run.state)
    yield { type: 'tools_awaited', agent, calls }
  }
  return 'end'
}

/** Remembers what is announced; false if nothing of it is new. */
function announce(run: Run, list: 'asked' | 'announced', calls: readonly AwaitedCall[]): boolean {
  const { turn } = run.state
  const known = turn?.[list] ?? []
  const ids = unannounced(known, calls).map(({ id }) => id)
  if (turn === undefined || ids.length === 0) return false
  run.state = { ...run.state, turn: { ...turn, [list]: [...known, ...ids] } }
  return true
}

function unannounced(known: readonly string[] = [], calls: readonly AwaitedCall[]) {
  return calls.filter(({ id }) => !known.includes(id))
}
