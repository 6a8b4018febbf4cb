import { MillraceError } from '../errors/index.ts'
import {
  type AgentEvent,
  createFinalAnswer,
  type Prompt,
  silentSpan,
  type WorkSpan,
} from '../events/index.ts'
import type { Checkpoint, RunOptions } from './agent.ts'
import type { AgentStream, PauseAnswers, RunStart, RunTies } from './port/index.ts'
import { createCallIds } from './calls/call-ids.ts'
import { offerToRun } from './calls/offer.ts'
import { openStored, type RunOpening } from './loop/open-run.ts'
import { createRunControl, type CommandReceiver } from './run-control.ts'
import { runLoop } from './loop/run-loop.ts'
import { answerSoFar, type RunResult, toRunResult } from './run-result.ts'
import type { AgentSettings, Run, RunStream } from './run.ts'
import { closeStepSpan } from './loop/step-span.ts'
import { type StateWriter, StoredCheckpoint } from './state/index.ts'

/** A run, to be read once: it goes as far as it is read. */
export interface AgentRun extends AsyncIterable<AgentEvent | Checkpoint> {
  /** Ends the run, or one agent of it, with what is finished; false if none of that id is at work. */
  stop(agent?: string): boolean
  /** Tells the run, or one agent of it, something new, at the next possible point; false if it is too late. */
  steer(prompt: Prompt, agent?: string): boolean
  /** Answers calls of sub-agents that wait while others go on; false if all is known already. */
  answer(answers: PauseAnswers): boolean
  /** What came of it; reads the run to its end if nobody else does. */
  result(): Promise<RunResult>
}

/** Ties a run to its signal and its control; whatever it started is stopped when it is over or nobody reads on. */
export function startAgentRun(
  settings: AgentSettings,
  opening: RunOpening,
  options: RunOptions,
): AgentRun {
  const { control = createRunControl() } = options
  const begun = toBegun(settings, opening, { ...options, control })
  const { run } = begun
  let reading: RunStream<void> | undefined
  let hasBegun = false
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  const begin = (): Begun => {
    hasBegun = true
    return begun
  }
  const live = (): RunStream<void> =>
    (reading ??= follow(begin, options, { onOver: () => finish() }))

  return {
    [Symbol.asyncIterator]: live,
    stop: control.stop,
    steer: control.steer,
    answer: control.answer,
    async result() {
      if (!hasBegun) await drain(live())
      // Its reader may have left before the first event.
      if (hasBegun) await over
      else breakOff(run)
      return toRunResult(run)
    },
  }
}

/** Starts a run from a stored state, which is read when the run is. Its checkpoints encode their changes for the server. */
export function startStoredRun(
  settings: AgentSettings,
  start: RunStart,
  ties: RunTies,
): AgentStream {
  const control = createRunControl()
  const begin = async (): Promise<Begun> => {
    const { writer, ...opening } = await openStored(settings, start, { control, now: ties.now?.() })
    return { ...toBegun(settings, opening, { ...ties, control }), writer }
  }
  let reading: RunStream<void> | undefined
  let isBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve
  })
  // A run with a writer yields checkpoints that can be stored.
  const live = () =>
    (reading ??= follow(begin, ties, { onBegun: () => isBegun() })) as AsyncGenerator<
      AgentEvent | StoredCheckpoint
    >
  return {
    [Symbol.asyncIterator]: live,
    offer: (command) => offerToRun(control, command),
    begun,
    isEnding: control.isEnding,
  }
}

/** A run that is about to be followed. */
interface Begun {
  readonly run: Run
  readonly opening: RunOpening
  readonly controller: AbortController
  /** Encodes its checkpoints, if they are to be stored. */
  readonly writer?: StateWriter
}

async function* follow(
  begin: () => Begun | Promise<Begun>,
  { signal, span }: RunOptions,
  { onBegun, onOver }: { readonly onBegun?: () => void; readonly onOver?: () => void },
): RunStream<void> {
  const { run, opening, controller, writer } = await begin()
  const answer = () => run.answer.text()
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const leave = run.control.enter(toReceiver(run, controller))
  run.span = startSpan(run, opening, span)
  try {
    for await (const item of runLoop(run, opening, onBegun)) {
      if (item.type !== 'checkpoint') run.answer.take(item)
      else if (writer !== undefined) {
        yield new StoredCheckpoint(item.state, writer, answer)
        continue
      }
      yield item
    }
  } finally {
    leave()
    signal?.removeEventListener('abort', abort)
    controller.abort()
    breakOff(run)
    onOver?.()
  }
}

function toBegun(
  settings: AgentSettings,
  opening: RunOpening,
  options: RunOptions & Pick<Run, 'control'>,
): Begun {
  const { control, permit = always, approvalTtlMs, now = Date.now } = options
  const { callIds = createCallIds(opening.state) } = options
  const controller = new AbortController()
  const ties = { control, permit, callIds, signal: controller.signal, approvalTtlMs, now }
  return { run: toRun(settings, opening, ties), opening, controller }
}

const always = (): undefined => undefined

function toRun(
  settings: AgentSettings,
  { state, stopReason, stopping, lost = [] }: RunOpening,
  ties: Pick<Run, 'control' | 'permit' | 'callIds' | 'signal' | 'approvalTtlMs' | 'now'>,
): Run {
  return {
    settings,
    ...ties,
    span: silentSpan,
    step: undefined,
    state,
    answer: createFinalAnswer(state.agent, answerSoFar(state)),
    stopReason: stopReason ?? state.stopReason ?? 'end_turn',
    error: undefined,
    steering: [],
    interrupt: undefined,
    waiting: undefined,
    atWork: new Set(),
    lost: new Set(lost),
    stopping: new Set(stopping === undefined ? [] : [stopping]),
    isEnding: false,
  }
}

function startSpan(
  { settings, state }: Run,
  { prompt }: RunOpening,
  parent: WorkSpan | undefined,
): WorkSpan {
  const { name, telemetry, model } = settings
  const { agent, runId } = state
  return telemetry.startRun({
    agent,
    runId,
    name,
    model: model.id,
    ...(prompt !== undefined && { prompt }),
    ...(parent !== undefined && { parent }),
  })
}

/** Closes a run whose reader has left before its end. */
function breakOff(run: Run): void {
  run.isEnding = true
  if (run.state.ended === undefined) run.stopReason = 'aborted'
  closeStepSpan(run)
  run.span.end({ stopReason: run.stopReason })
}

function toReceiver(run: Run, controller: AbortController): CommandReceiver {
  return {
    agent: run.state.agent,
    stop: () => controller.abort(),
    stopWaiting: (agent: string) => run.waiting?.release(agent) ?? false,
    isEnding: () => run.isEnding,
    steer(prompt: Prompt) {
      if (run.isEnding || run.signal.aborted) return false
      run.steering.push(prompt)
      run.interrupt?.()
      return true
    },
    awaits: (answers, hides) => waitingIn(run).awaits(answers, hides),
    answer: (answers) => waitingIn(run).receive(answers),
  }
}

function waitingIn({ waiting }: Run): NonNullable<Run['waiting']> {
  if (waiting === undefined) throw new MillraceError('not_found', 'No call waits for an answer.')
  return waiting
}

async function drain(stream: AsyncIterator<unknown>): Promise<void> {
  while ((await stream.next()).done !== true);
}
