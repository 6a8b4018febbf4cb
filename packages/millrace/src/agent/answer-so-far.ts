import { toFinalAnswer } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'

/** The final answer of a run that goes on from a state: a result that was told ends what was said before it. [LIFE-15] */
export function answerSoFar({ messages, runStart, turn }: AgentState): string {
  const isAnswered = turn !== undefined && turn.results.length > 0
  return isAnswered ? '' : toFinalAnswer(messages.slice(runStart))
}
