import type { AgentEvent } from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import { checkpoint, type Run } from '../run.ts'

/** Emits the events that were not sent, each once, even if the process dies in between. */
export function* emitUnsent(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  for (;;) {
    const { untold: unsentEvents, ...state } = run.state
    if (unsentEvents === undefined) return
    const [event, ...rest] = unsentEvents
    run.state = rest.length === 0 ? state : { ...state, untold: rest }
    if (event === undefined) return
    yield checkpoint(run.state)
    yield event
  }
}
