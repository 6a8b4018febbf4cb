import type { AgentEvent, AwaitedCall, ToolStage } from '../../events/index.ts'
import { type ToolAnswer, toResultBlock } from '../../tools/index.ts'
import { type AgentState, isResultFor } from '../state/index.ts'
import { type Run, toToolResult } from '../run.ts'

/** Something that happened to a call while others are worked on: what to tell, and what to remember with it. */
export interface CallUpdate {
  readonly change?: (state: AgentState) => AgentState
  readonly event: AgentEvent
}

/** What a call waits for that nobody has given yet. */
export type WaitReason = 'frontend' | 'approval' | 'agent'

/** The work on one call. */
export type CallWork = AsyncGenerator<CallUpdate, void, undefined>

/** Tells to which stage a call has come. */
export function toStatus(
  { state }: Run,
  { id, name }: AwaitedCall,
  stage: ToolStage,
  detail?: string,
): CallUpdate {
  const told = detail === undefined ? {} : { detail }
  return { event: { type: 'tool_status', agent: state.agent, id, name, stage, ...told } }
}

/** Tells the last stage of a call and its result. */
export function* toAnswered(
  run: Run,
  call: AwaitedCall,
  answer: ToolAnswer,
): Generator<CallUpdate, void, undefined> {
  yield toStatus(run, call, answer.isError ? 'failed' : 'succeeded')
  yield* toResult(run, call, answer)
}

/** Tells the result of a call and keeps it: what was told is never worked out again. */
export function* toResult(
  run: Run,
  call: AwaitedCall,
  answer: ToolAnswer,
): Generator<CallUpdate, void, undefined> {
  yield {
    change: (state) => addResult(state, call, answer),
    event: toToolResult(run.state.agent, call, answer),
  }
}

/** Keeps a result as told. */
function addResult(state: AgentState, call: AwaitedCall, answer: ToolAnswer): AgentState {
  const { turn } = state
  if (turn === undefined) return state
  const results = [...turn.results, toResultBlock(call.id, answer)]
  const answers = turn.answers?.filter((block) => !isResultFor(block, call.id))
  return { ...state, turn: { ...turn, results, ...(answers !== undefined && { answers }) } }
}
