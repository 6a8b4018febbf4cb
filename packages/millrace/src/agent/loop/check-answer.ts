import type { AgentEvent } from '../../events/index.ts'
import type { Checkpoint } from '../agent.ts'
import type { Run } from '../run.ts'
import { takeSteering } from './steering.ts'
import { unlessAborted } from '../../streams/index.ts'

/** The stop reasons of complete answers. */
const answers = new Set(['end_turn', 'stop', 'stop_sequence'])

/** Checks the final answer; true if it was rejected and the model continues. */
export async function* checkAnswer(
  run: Run,
  stopReason: string,
): AsyncGenerator<AgentEvent | Checkpoint, boolean, undefined> {
  const { finalAnswerCheck, maxAnswerChecks } = run.settings
  const { checks = 0 } = run.state
  if (finalAnswerCheck === undefined || !answers.has(stopReason) || checks >= maxAnswerChecks)
    return false
  const verdict = await unlessAborted(finalAnswerCheck(run.answer.text()), run.signal)
  if (verdict === true || verdict === undefined) return false
  run.state = { ...run.state, checks: checks + 1 }
  run.steering.push(verdict)
  yield* takeSteering(run)
  return true
}
