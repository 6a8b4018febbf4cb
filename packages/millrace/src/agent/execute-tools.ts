import { MillraceError } from '../errors/index.ts'
import type { AwaitedCall } from '../events/index.ts'
import { abandonCalls } from './abandon-calls.ts'
import { agentsIn, openChildren } from './agent-tree.ts'
import type { PauseAnswers } from './agent.ts'
import { answerPause, canGoOn } from './answer-pause.ts'
import type { Deed, Wait } from './deed.ts'
import { InParallel } from './in-parallel.ts'
import { openCalls } from './open-calls.ts'
import { pauseRun } from './pause-run.ts'
import { checkpoint, type Next, type Run, type RunStream } from './run.ts'
import { workOnCall } from './work-on-call.ts'

const RUN_STOPPED = 'The run was stopped before this call was answered.'
const OVERTAKEN = 'Nobody answered this call; the user wrote a new message instead.'

/** Answers the calls of a turn side by side; those that wait for people pause the run when nothing else is left. */
export async function* executeTools(run: Run): RunStream<Next> {
  const waits = new Map<string, Wait>()
  const { maxParallelTools } = run.settings
  const work = new InParallel<AwaitedCall, Deed>(
    openCalls(run.state.turn),
    maxParallelTools,
    (call) => workOnCall(run, call, waits),
  )
  run.receive = (answers) => {
    for (const call of takeAnswers(run, answers, waits)) work.add(call)
  }
  try {
    for await (const { change, event } of work) {
      if (change !== undefined) {
        run.state = change(run.state)
        yield checkpoint(run.state)
      }
      yield event
    }
  } finally {
    run.receive = undefined
  }
  return yield* settleTurn(run, waits)
}

async function* settleTurn(run: Run, waits: ReadonlyMap<string, Wait>): RunStream<Next> {
  if (run.signal.aborted) {
    yield* abandonCalls(run, RUN_STOPPED)
    run.stopReason = 'aborted'
    return 'end'
  }
  const left = openCalls(run.state.turn)
  if (left.length > 0 && run.steering.length === 0) return yield* pauseRun(run, left, waits)
  yield* abandonCalls(run, OVERTAKEN)
  return 'model'
}

/** Keeps answers for calls of sub-agents that wait, and gives the calls whose sub-agents can go on. */
function takeAnswers(run: Run, answers: PauseAnswers, waits: Map<string, Wait>): AwaitedCall[] {
  const { state, changed } = answerPause(run.state, answers)
  if (!changed) throw new MillraceError('not_found', 'These answers are known already.')
  run.state = state
  const ready = openChildren(run.state).filter(
    ({ toolUseId, child }) => waits.get(toolUseId) === 'agent' && agentsIn(child).some(canGoOn),
  )
  for (const { toolUseId } of ready) waits.delete(toolUseId)
  const ids = new Set(ready.map(({ toolUseId }) => toolUseId))
  return openCalls(run.state.turn).filter(({ id }) => ids.has(id))
}
