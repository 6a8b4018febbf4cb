import type { AgentEvent, AnnouncedCall, ToolStage } from '../../events/index.ts'
import { type ToolAnswer, toResultBlock } from '../../tools/index.ts'
import { type AgentState, isResultFor } from '../state/index.ts'
import { type Run, toToolResult } from '../run.ts'

/** An update of one call while others are at work: its event and its change of the state. */
export interface CallUpdate {
  readonly change?: (state: AgentState) => AgentState
  readonly event: AgentEvent
}

/** The reason why a call waits: the browser, a decision, or its sub-agent. */
export type WaitReason = 'frontend' | 'approval' | 'agent'

/** The work on a call, which yields each change of the state with its event. */
export type CallWork = AsyncGenerator<CallUpdate, void, undefined>

/** Creates the update that reports the stage of a call. */
export function toStatus(
  { state }: Run,
  { id, name }: AnnouncedCall,
  stage: ToolStage,
  detail?: string,
): CallUpdate {
  const details = detail === undefined ? {} : { detail }
  return { event: { type: 'tool_status', agent: state.agent, callId: id, name, stage, ...details } }
}

/** Yields the last stage of a call and its result. */
export function* toAnswered(
  run: Run,
  call: AnnouncedCall,
  answer: ToolAnswer,
): Generator<CallUpdate, void, undefined> {
  yield toStatus(run, call, answer.isError ? 'failed' : 'succeeded')
  yield* toResult(run, call, answer)
}

/** Yields the result of a call and stores it, so that a reported result is never computed again. */
export function* toResult(
  run: Run,
  call: AnnouncedCall,
  answer: ToolAnswer,
): Generator<CallUpdate, void, undefined> {
  yield {
    change: (state) => addResult(state, call, answer),
    event: toToolResult(run.state.agent, call, answer),
  }
}

function addResult(state: AgentState, call: AnnouncedCall, answer: ToolAnswer): AgentState {
  const { turn } = state
  if (turn === undefined) return state
  const results = [...turn.results, toResultBlock(call.id, answer)]
  const answers = turn.answers?.filter((block) => !isResultFor(block, call.id))
  return { ...state, turn: { ...turn, results, ...(answers !== undefined && { answers }) } }
}
