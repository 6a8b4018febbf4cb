import type { AgentEvent } from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import type { Run } from '../run.ts'
import { emitUnsent } from '../loop/emit-unsent.ts'

/** Answers every open call with an error, ends their sub-agents, and closes the open turn. */
export function* abandonCalls(
  run: Run,
  reason: string,
): Generator<AgentEvent | Checkpoint, void, undefined> {
  const { state, events } = closeCalls(run.state, reason)
  run.state = events.length === 0 ? state : { ...state, unsent: events }
  yield* emitUnsent(run)
}
