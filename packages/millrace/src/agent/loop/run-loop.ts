import { endRun, failRun } from './end-run.ts'
import { executeTools } from '../calls/execute-tools.ts'
import type { RunOpening } from './open-run.ts'
import type { Run, RunStream } from '../run.ts'
import { streamTurn } from './stream-turn.ts'
import { emitUnsent } from './emit-unsent.ts'

/** The life of a run: the model speaks, tools answer, until there is nothing more to do or people must act. */
export async function* runLoop(
  run: Run,
  { events, next }: RunOpening,
  onBegun: () => void = () => {},
): RunStream<void> {
  try {
    yield* events
    yield* emitUnsent(run)
    // Sub-agents that wait are known from the first station on.
    onBegun()
    while (next !== 'end') {
      next = next === 'model' ? yield* streamTurn(run) : yield* executeTools(run)
    }
    yield* endRun(run)
  } catch (error) {
    yield* failRun(run, error)
  }
}
