import { MillraceError } from '../errors/index.ts'
import {
  type AgentEvent,
  createFinalAnswer,
  type Prompt,
  silentSpan,
  type WorkSpan,
} from '../events/index.ts'
import { onAbort } from '../streams/index.ts'
import type { Checkpoint, RunOptions } from './agent.ts'
import type { AgentStream, PauseAnswers, RunStart, AgentRunOptions } from './port/index.ts'
import { createToolbox } from '../tools/index.ts'
import { createCallIds } from './calls/call-ids.ts'
import { offerToRun } from './calls/offer.ts'
import { openStored, type RunOpening } from './loop/open-run.ts'
import { createRunControl, type CommandReceiver } from './run-control.ts'
import { runLoop } from './loop/run-loop.ts'
import { answerSoFar, type RunResult, toRunResult } from './run-result.ts'
import { type AgentSettings, closeStepSpan, type Run, type RunStream } from './run.ts'
import { type StateWriter, StoredCheckpoint } from './state/index.ts'

/** A run of an agent. It advances only while it is read and can be read once. */
export interface AgentRun extends AsyncIterable<AgentEvent | Checkpoint> {
  /** Ends the run, or one of its agents, with the finished content; false if no agent with this id is running. */
  stop(agent?: string): boolean
  /** Passes a new message to the run or one of its agents at the next possible point; false if it is too late. */
  steer(prompt: Prompt, agent?: string): boolean
  /** Answers pending calls of sub-agents while other agents run; false if the run already has these answers. */
  answer(answers: PauseAnswers): boolean
  /** Returns the result of the run; reads it to its end if it has no other reader. */
  result(): Promise<RunResult>
}

/** Starts a run with its signal and control. When it ends or loses its reader, all its work is stopped. */
export function startAgentRun(
  settings: AgentSettings,
  opening: RunOpening,
  options: RunOptions,
): AgentRun {
  const { control = createRunControl() } = options
  const prepared = prepareRun(settings, opening, { ...options, control })
  const { run } = prepared
  let reading: RunStream<void> | undefined
  let hasBegun = false
  let finish = () => {}
  const over = new Promise<void>((resolve) => {
    finish = resolve
  })
  const begin = (): PreparedRun => {
    hasBegun = true
    return prepared
  }
  const live = (): RunStream<void> =>
    (reading ??= follow(begin, options, { onOver: () => finish() }))

  return {
    [Symbol.asyncIterator]: live,
    stop: control.stop,
    steer: control.steer,
    answer: (answers) => control.answer(answers),
    async result() {
      if (!hasBegun) await drain(live())
      // Its reader may have left before the first event.
      if (hasBegun) await over
      else closeRun(run)
      return toRunResult(run)
    },
  }
}

/** Starts a run from a stored state, which is read when the run is. Its checkpoints encode their changes for the server. */
export function startStoredRun(
  settings: AgentSettings,
  start: RunStart,
  options: AgentRunOptions,
): AgentStream {
  const control = createRunControl()
  const begin = async (): Promise<PreparedRun> => {
    const { writer, ...opening } = await openStored(settings, start, {
      control,
      now: options.now?.(),
    })
    return { ...prepareRun(settings, opening, { ...options, control }), writer }
  }
  let reading: RunStream<void> | undefined
  let isBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    isBegun = resolve
  })
  // A run with a writer yields checkpoints that can be stored.
  const live = () =>
    (reading ??= follow(begin, options, { onBegun: () => isBegun() })) as AsyncGenerator<
      AgentEvent | StoredCheckpoint
    >
  return {
    [Symbol.asyncIterator]: live,
    offer: (command) => offerToRun(control, command),
    begun,
    isEnding: control.isEnding,
  }
}

/** A run before its first event. */
interface PreparedRun {
  readonly run: Run
  readonly opening: RunOpening
  readonly controller: AbortController
  /** Encodes its checkpoints, if they are to be stored. */
  readonly writer?: StateWriter
}

async function* follow(
  begin: () => PreparedRun | Promise<PreparedRun>,
  { signal, span }: RunOptions,
  { onBegun, onOver }: { readonly onBegun?: () => void; readonly onOver?: () => void },
): RunStream<void> {
  const { run, opening, controller, writer } = await begin()
  const answer = () => run.answer.text()
  const detach = onAbort(signal, () => controller.abort(signal?.reason))
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
    detach()
    controller.abort()
    closeRun(run)
    onOver?.()
  }
}

function prepareRun(
  settings: AgentSettings,
  opening: RunOpening,
  options: RunOptions & Pick<Run, 'control'>,
): PreparedRun {
  const { control, permit = always, approvalTtlMs, now = Date.now, context } = options
  const { callIds = createCallIds(opening.state) } = options
  const controller = new AbortController()
  const resolved = {
    control,
    permit,
    callIds,
    signal: controller.signal,
    approvalTtlMs,
    now,
    context,
  }
  return { run: toRun(settings, opening, resolved), opening, controller }
}

const always = (): undefined => undefined

function toRun(
  settings: AgentSettings,
  { state, stopReason, stopping, lost = [] }: RunOpening,
  resolved: Pick<
    Run,
    'control' | 'permit' | 'callIds' | 'signal' | 'approvalTtlMs' | 'now' | 'context'
  >,
): Run {
  return {
    settings,
    ...resolved,
    system: undefined,
    toolbox: createToolbox([]),
    model: settings.model,
    toolChoice: undefined,
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
function closeRun(run: Run): void {
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
    answer: (answers, options) => waitingIn(run).receive(answers, options),
  }
}

function waitingIn({ waiting }: Run): NonNullable<Run['waiting']> {
  if (waiting === undefined) throw new MillraceError('not_found', 'No call waits for an answer.')
  return waiting
}

async function drain(stream: AsyncIterator<unknown>): Promise<void> {
  while ((await stream.next()).done !== true);
}
