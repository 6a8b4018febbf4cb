import { MillraceError } from '../errors/index.ts'
import type { AgentEvent, Prompt } from '../events/index.ts'
import type { Checkpoint, PauseAnswers, RunOptions } from './agent.ts'
import type { Opening } from './open-run.ts'
import { toPromptContent } from './prompt-content.ts'
import { createRunControl } from './run-control.ts'
import { runLoop } from './run-loop.ts'
import { type RunResult, toRunResult } from './run-result.ts'
import type { AgentSettings, Run, RunStream } from './run.ts'

/** A run, to be read once: it goes as far as it is read. */
export interface AgentRun extends AsyncIterable<AgentEvent | Checkpoint> {
  /** Ends the run, or one agent of it, with what is finished; false if none of that id is at work. */
  stop(agent?: string): boolean
  /** Tells the run, or one agent of it, something new, at the next possible point; false if it is too late. */
  steer(prompt: Prompt, agent?: string): boolean
  /** Answers calls of sub-agents that wait while others go on. */
  answer(answers: PauseAnswers): void
  /** What came of it; reads the run to its end if nobody else does. */
  result(): Promise<RunResult>
}

/** Ties a run to its signal and its control; whatever it started is stopped when it is over or nobody reads on. */
export function startAgentRun(
  settings: AgentSettings,
  opening: Opening,
  options: RunOptions,
): AgentRun {
  const { signal, control = createRunControl() } = options
  const controller = new AbortController()
  const run = toRun(settings, opening, { ...options, control }, controller.signal)
  let reading: RunStream<void> | undefined
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })

  async function* live(): RunStream<void> {
    const abort = () => controller.abort(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const leave = control.enter(toDesk(run, controller))
    try {
      yield* runLoop(run, opening)
    } finally {
      run.isEnding = true
      leave()
      signal?.removeEventListener('abort', abort)
      controller.abort()
      finish()
    }
  }

  return {
    [Symbol.asyncIterator]: () => (reading ??= live()),
    stop: control.stop,
    steer: control.steer,
    answer: control.answer,
    async result() {
      if (reading === undefined) await drain((reading = live()))
      await over
      return toRunResult(run.state, run.stopReason)
    },
  }
}

function toRun(
  settings: AgentSettings,
  { state, stopReason }: Opening,
  { control, span }: RunOptions & Pick<Run, 'control'>,
  signal: AbortSignal,
): Run {
  const { name, telemetry, model } = settings
  const { agent, runId } = state
  const parent = span === undefined ? {} : { parent: span }
  return {
    settings,
    signal,
    control,
    span: telemetry.startRun({ agent, runId, name, model: model.id, ...parent }),
    state,
    stopReason: stopReason ?? state.stopReason ?? 'end_turn',
    steering: [],
    interrupt: undefined,
    receive: undefined,
    isEnding: false,
  }
}

function toDesk(run: Run, controller: AbortController) {
  return {
    agent: run.state.agent,
    stop: () => controller.abort(),
    steer(prompt: Prompt) {
      toPromptContent(prompt)
      if (run.isEnding || run.signal.aborted) return false
      run.steering.push(prompt)
      run.interrupt?.()
      return true
    },
    answer: (answers: PauseAnswers) => {
      if (run.receive === undefined)
        throw new MillraceError('not_found', 'No call waits for an answer.')
      run.receive(answers)
    },
  }
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
