import type { AgentEvent } from '../events/index.ts'
import { errorAnswer } from '../tools/index.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { addResult } from './deed.ts'
import { openCalls } from './open-calls.ts'
import { checkpoint, type Run, toToolResult } from './run.ts'

/** Answers every call that is still open with an error, and closes the turn. */
export function* abandonCalls(
  run: Run,
  reason: string,
): Generator<AgentEvent | Checkpoint, void, undefined> {
  const answer = errorAnswer(reason)
  for (const call of openCalls(run.state.turn)) {
    run.state = addResult(run.state, call, answer)
    yield checkpoint(run.state)
    yield toToolResult(run.state.agent, call, answer)
  }
  run.state = closeTurn(run.state)
}
