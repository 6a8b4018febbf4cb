import type { AwaitedCall } from '../events/index.ts'
import { checkCall, errorAnswer, runTool, type ToolAnswer } from '../tools/index.ts'
import { abandonCalls, answerCall } from './answer-calls.ts'
import { closeTurn } from './close-turn.ts'
import { inCompletionOrder } from './in-completion-order.ts'
import { openCalls } from './open-calls.ts'
import { pauseRun } from './pause-run.ts'
import type { Next, Run, RunStream } from './run.ts'

const RUN_STOPPED = 'The run was stopped before this call was answered.'

/** Answers the calls of a turn: those of the server side by side, then, if there are any, those of the browser. */
export async function* executeTools(run: Run): RunStream<Next> {
  const work = openCalls(run.state.turn)
  const awaited: AwaitedCall[] = []
  const { maxParallelTools } = run.settings
  const answers = inCompletionOrder(work, maxParallelTools, async (call) => ({
    call,
    answer: await answerFor(run, call),
  }))
  for await (const { call, answer } of answers) {
    if (answer === undefined) awaited.push(call)
    else yield* answerCall(run, call, answer)
  }
  if (run.signal.aborted) {
    yield* abandonCalls(run, RUN_STOPPED)
    run.stopReason = 'aborted'
    return 'end'
  }
  if (awaited.length > 0)
    return yield* pauseRun(
      run,
      work.filter((call) => awaited.includes(call)),
    )
  run.state = closeTurn(run.state)
  return 'model'
}

/** The answer to a call, or undefined if the browser has to give it. */
async function answerFor(run: Run, call: AwaitedCall): Promise<ToolAnswer | undefined> {
  const { toolbox } = run.settings
  const tool = toolbox.find(call.name)
  if (tool === undefined) {
    const names = toolbox.schemas.map(({ name }) => name).join(', ') || 'none'
    return errorAnswer(`There is no tool "${call.name}". The tools are: ${names}.`)
  }
  if (tool.kind === 'frontend') return checkCall(tool, call)
  const idempotencyKey = `${run.state.runId}/${call.id}`
  return runTool(tool, call, {
    signal: run.signal,
    idempotencyKey,
    agent: run.state.agent,
    progress: () => {},
    onError: run.settings.onError,
  })
}
