import type { AgentEvent, AwaitedCall } from '../events/index.ts'
import { errorAnswer, type ToolAnswer, toResultBlock } from '../tools/index.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { openCalls } from './open-calls.ts'
import { checkpoint, type Run, toToolResult } from './run.ts'

type Events = Generator<AgentEvent | Checkpoint, void, undefined>

/** Keeps a result and tells the stream; a result that was told is never worked out again. */
export function* answerCall(run: Run, call: AwaitedCall, answer: ToolAnswer): Events {
  const { turn = { calls: [], results: [] } } = run.state
  const results = [...turn.results, toResultBlock(call.id, answer)]
  run.state = { ...run.state, turn: { ...turn, results } }
  yield checkpoint(run.state)
  yield toToolResult(run.state.agent, call, answer)
}

/** Answers every call that is still open with an error, and closes the turn. */
export function* abandonCalls(run: Run, reason: string): Events {
  for (const call of openCalls(run.state.turn)) yield* answerCall(run, call, errorAnswer(reason))
  run.state = closeTurn(run.state)
}
