import type { AwaitedCall } from '../events/index.ts'
import type { Wait } from './deed.ts'
import { checkpoint, type Next, type Run, type RunStream } from './run.ts'

/** Leaves the rest of a turn to people: the pause is stored as a value before it is announced. */
export async function* pauseRun(
  run: Run,
  left: readonly AwaitedCall[],
  waits: ReadonlyMap<string, Wait>,
): RunStream<Next> {
  const waitingFor = (wait: Wait) => left.filter(({ id }) => waits.get(id) === wait)
  const calls = waitingFor('frontend')
  const approvals = waitingFor('approval')
  const known = new Set(run.state.announced)
  const announced = [...calls, ...approvals].map(({ id }) => id)
  run.state = { ...run.state, pause: { calls, approvals }, announced }
  run.stopReason =
    calls.length > 0 || approvals.length === 0 ? 'awaiting_frontend_tools' : 'awaiting_approval'
  run.isEnding = true
  const { agent } = run.state
  const isNew = ({ id }: AwaitedCall) => !known.has(id)
  yield checkpoint(run.state)
  for (const { id, name } of approvals.filter(isNew))
    yield { type: 'tool_status', agent, id, name, stage: 'approval_requested' }
  if (approvals.some(isNew)) yield { type: 'approvals_awaited', agent, calls: approvals }
  if (calls.some(isNew)) yield { type: 'tools_awaited', agent, calls }
  return 'end'
}
