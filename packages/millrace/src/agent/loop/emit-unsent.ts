import type { AgentEvent } from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import { checkpoint, type Run } from '../run.ts'

/** Emits the events that were not sent, each once, even if the process dies in between. */
export function* emitUnsent(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  for (;;) {
    const { unsent, ...state } = run.state
    if (unsent === undefined) return
    const [event, ...rest] = unsent
    run.state = rest.length === 0 ? state : { ...state, unsent: rest }
    if (event === undefined) return
    yield checkpoint(run.state)
    yield event
  }
}
