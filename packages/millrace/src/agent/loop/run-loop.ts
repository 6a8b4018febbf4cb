import { emitUnsent, endRun, failRun } from './end-run.ts'
import { executeTools } from '../calls/execute-tools.ts'
import { createToolbox } from '../../tools/index.ts'
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
    // After the start of the run, so that an error of these functions ends it like any other.
    if (next !== 'end') await findToolsAndInstructions(run)
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

/** Finds the instructions and tools of a run, which may depend on its context. */
async function findToolsAndInstructions(run: Run): Promise<void> {
  const { settings, context, state } = run
  const { system, tools } = settings
  const place = { context, agent: state.agent }
  run.system = typeof system === 'function' ? await system(place) : system
  run.toolbox = createToolbox(typeof tools === 'function' ? await tools(place) : tools)
}
