import type { AnnouncedCall } from '../../events/index.ts'
import { closeOpenTurn } from '../loop/end-run.ts'
import type { CallUpdate, WaitReason } from './call-update.ts'
import { InParallel } from './in-parallel.ts'
import { openCalls } from '../state/index.ts'
import { pauseRun } from './pause-run.ts'
import { checkpoint, type Next, type Run, type RunStream } from '../run.ts'
import { createWaitingChildren } from '../subagents/waiting-children.ts'
import { workOnCall } from './work-on-call.ts'

const RUN_STOPPED = 'The run was stopped before this call was answered.'
const OVERTAKEN = 'Nobody answered this call; the user wrote a new message instead.'

/** Answers the calls of a step in parallel; pauses the run when only pending calls are left. */
export async function* executeTools(run: Run): RunStream<Next> {
  const waits = new Map<string, WaitReason>()
  const children = createWaitingChildren(run, {
    waits,
    resume: (call) => work.add(call),
    report: (update) => work.put(update),
  })
  const work = new InParallel<AnnouncedCall, CallUpdate>(
    openCalls(run.state.turn),
    run.settings.maxParallelTools,
    async function* (call) {
      yield* workOnCall(run, call, waits)
      children.settle()
    },
  )
  run.waiting = children
  try {
    // An answer may arrive after the last work has ended.
    while (work.isOpen()) yield* takeUpdates(run, work)
  } finally {
    children.close()
    run.waiting = undefined
  }
  return yield* settleTurn(run, waits)
}

async function* takeUpdates(run: Run, work: AsyncIterable<CallUpdate>): RunStream<void> {
  for await (const { change, event } of work) {
    if (change !== undefined) {
      run.state = change(run.state)
      yield checkpoint(run.state)
    }
    yield event
  }
}

function settleTurn(run: Run, waits: ReadonlyMap<string, WaitReason>): RunStream<Next> {
  const left = openCalls(run.state.turn)
  if (run.signal.aborted) return stopTurn(run)
  if (left.length === 0 || run.steering.length > 0) return resume(run)
  // Later commands are refused, although the pause is reported a moment later.
  run.isEnding = true
  return pauseRun(run, left, waits)
}

async function* stopTurn(run: Run): RunStream<Next> {
  run.stopReason = 'aborted'
  run.state = { ...run.state, stopReason: 'aborted' }
  yield* closeOpenTurn(run, RUN_STOPPED)
  return 'end'
}

async function* resume(run: Run): RunStream<Next> {
  yield* closeOpenTurn(run, OVERTAKEN)
  return 'model'
}
