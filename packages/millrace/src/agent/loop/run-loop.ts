import { emitUnsent, endRun, failRun } from './end-run.ts'
import { executeTools } from '../calls/execute-tools.ts'
import type { RunOpening } from './open-run.ts'
import type { Run, RunStream } from '../run.ts'
import { streamStep } from './stream-step.ts'

/** Runs an agent: model calls and tools alternate until the run ends or must wait. */
export async function* runLoop(
  run: Run,
  { events, next }: RunOpening,
  onBegun: () => void = () => {},
): RunStream<void> {
  try {
    yield* events
    yield* emitUnsent(run)
    // Waiting sub-agents are known from the first step of the loop on.
    onBegun()
    while (next !== 'end') {
      next = next === 'model' ? yield* streamStep(run) : yield* executeTools(run)
    }
    yield* endRun(run)
  } catch (error) {
    yield* failRun(run, error)
  }
}
