import {
  type AgentEvent,
  failureOf,
  isProviderEnd,
  type MessageEnd,
  type ModelRequest,
  noUsage,
  toRunError,
  toUsageTotals,
} from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import { closeOpenTurn, emitError, nextAfter, STEERED } from './end-run.ts'
import { type AgentState, appendMessage, settleLastAnswer } from '../state/index.ts'
import { withVoidCalls } from '../calls/call-ids.ts'
import { askToContinue, type InterruptedAnswer, toInterruptedAnswer } from './continue-answer.ts'
import { emitGeneratedFiles } from './generated-files.ts'
import {
  type AgentSettings,
  checkpoint,
  countUsage,
  currentSpan,
  type Next,
  openStepSpan,
  priceOf,
  type Run,
  type RunStream,
} from '../run.ts'
import { compactContext, type RequestOptions, toRequest } from './compacted-context.ts'
import { callModel, type Reply } from './call-model.ts'
import type { Checkpoint } from '../agent.ts'
import { awaitOrAbort } from '../../streams/index.ts'
import { toPromptContent } from '../prompt-content.ts'
import { reportAnswer, settleStep, STOP_CONDITION } from './stop-when.ts'
import { prepareStep } from './step-hooks.ts'

const CUT_SHORT = 'The tool was not run, because the message that calls it was cut short.'
const NOT_CALLED = 'The tool was not run, because the message ended without asking for it.'
const OVERTAKEN = 'The tool was not run, because the user wrote a new message.'

/** Makes the model call of a step. */
export async function* streamStep(run: Run): RunStream<Next> {
  if (await settleStep(run)) return stop(run, STOP_CONDITION)
  yield* takeSteering(run)
  openStepSpan(run)
  if (run.state.steps >= run.settings.maxSteps) return yield* sumUp(run)
  await prepareStep(run)
  const reply = yield* askModel(run)
  if (!isProviderEnd(reply.end.outcome)) return yield* endCut(run, reply)
  const stopReason = reply.end.stopReason ?? 'unknown'
  yield* endStep(run, reply, stopReason)
  const next = nextAfter(stopReason)
  const isOvertaken = run.steering.length > 0
  if (!isOvertaken && next === 'tools' && reply.calls.length > 0) return 'tools'
  reportAnswer(run)
  if (isOvertaken) {
    yield* closeOpenTurn(run, OVERTAKEN)
    return 'model'
  }
  yield* closeOpenTurn(run, reply.end.outcome === 'truncated' ? CUT_SHORT : NOT_CALLED)
  if (next === 'model') return 'model'
  const isRejected = yield* checkAnswer(run, stopReason)
  return isRejected || run.steering.length > 0 ? 'model' : stop(run, stopReason)
}

/** Stores the answer of the model and ends the step. */
async function* endStep(run: Run, reply: Reply, stopReason: string): RunStream<void> {
  run.state = withReply(run, reply, stopReason)
  const { agent, steps: step } = run.state
  const { usage, content } = reply.end
  yield checkpoint(run.state)
  yield {
    type: 'step_end',
    agent,
    step,
    stopReason,
    usage,
    cost: priceOf(run.settings, usage, reply.model),
  }
  yield* emitGeneratedFiles(run, content)
}

/** Calls the model, with retries. Includes messages sent meanwhile. */
async function* askModel(run: Run, ask: RequestOptions = {}): RunStream<Reply> {
  yield* compactContext(run)
  let isShortened = false
  let cut: Continuation | undefined
  for (let attempt = 1; ; attempt++) {
    // Before steering is taken: a message that is sent later must find a call to interrupt.
    await run.permit()
    yield* takeSteering(run)
    const { request = toRequest(run, ask), answer } = cut ?? {}
    const reply = yield* callModel(run, { request, attempt, answer })
    const mayShorten: boolean = !isShortened && isContextFull(reply.end)
    const isRefused: boolean = cut !== undefined && reply.end.failure?.retriable === false
    const delayMs = mayShorten || isRefused ? 0 : retryDelayMs(run.settings, reply.end, attempt)
    if (delayMs === undefined || run.signal.aborted || run.steering.length > 0) return reply
    if (mayShorten && !(yield* compactContext(run, { isFull: true }))) return reply
    isShortened ||= mayShorten
    cut = mayShorten || isRefused ? undefined : toContinuation(run, toRequest(run, ask), reply)
    if (cut === undefined) yield* voidAttempt(run, reply, attempt + 1)
    else keepAttempt(run, reply, attempt + 1)
    if (delayMs > 0) await run.settings.wait(delayMs, run.signal)
    // A message that was sent meanwhile replaces the rest of the answer; the attempt is counted already.
    if (cut !== undefined && run.steering.length > 0)
      return { ...reply, end: { ...reply.end, usage: noUsage } }
  }
}

/** A request that continues an interrupted answer instead of repeating it. */
interface Continuation {
  readonly request: ModelRequest
  /** The answer so far. */
  readonly answer: InterruptedAnswer
}

/** Continues an interrupted answer if the model accepts its beginning, or may be asked to continue. [LIFE-16] */
function toContinuation(
  { settings, model }: Run,
  request: ModelRequest,
  reply: Reply,
): Continuation | undefined {
  const { cutAnswers } = settings
  const answer = cutAnswers === 'retry' ? undefined : toInterruptedAnswer(reply)
  if (answer === undefined) return undefined
  const prefilled = model.continueFrom?.(request, answer.content)
  const next = prefilled ?? (cutAnswers === 'ask' ? askToContinue(request, answer) : undefined)
  return next && { request: next, answer }
}

/** Counts the usage of an attempt whose answer continues. */
function keepAttempt(run: Run, reply: Reply, attempt: number): void {
  countUsage(run, reply.end.usage, reply.model)
  currentSpan(run).event('continue', { attempt })
}

/** Rolls back the output of an attempt but counts its usage. */
async function* voidAttempt(run: Run, reply: Reply, attempt: number): RunStream<void> {
  countUsage(run, reply.end.usage, reply.model)
  const { agent, steps } = run.state
  const ids = [...reply.calls.map(({ id }) => id), ...reply.cutCalls]
  run.callIds.release(ids, agent)
  run.state = withVoidCalls(run.state, agent, ids)
  const reason = failureOf(reply.end).message
  currentSpan(run).event(reply.isShown ? 'rollback' : 'retry', { attempt })
  if (reply.isShown) yield { type: 'rollback', agent, step: steps + 1, attempt, reason }
}

/** Stores the complete blocks of an interrupted answer; continues if a user sent a message, else ends the run. */
async function* endCut(run: Run, reply: Reply): RunStream<Next> {
  if (!run.signal.aborted && run.steering.length > 0) return yield* endSteered(run, reply)
  const isAborted = run.signal.aborted || reply.end.outcome === 'aborted'
  const stopReason = isAborted ? 'aborted' : 'error'
  run.state = withReply(run, reply, stopReason)
  yield* closeOpenTurn(run, CUT_SHORT)
  if (stopReason === 'error') {
    yield checkpoint(run.state)
    yield* emitError(run, toRunError(run.state.agent, reply.end))
  }
  return stop(run, stopReason)
}

/** Ends a step that a user message interrupted, so that no later rollback covers it. [LIFE-7] */
async function* endSteered(run: Run, reply: Reply): RunStream<Next> {
  if (reply.isShown) yield* endStep(run, reply, STEERED)
  else countUsage(run, reply.end.usage, reply.model)
  yield* closeOpenTurn(run, OVERTAKEN)
  return 'model'
}

/** Calls the model once more at the limit of steps, for a summary without calls. */
async function* sumUp(run: Run): RunStream<Next> {
  const { steps } = run.state
  // A later user message would have no step left.
  run.isEnding = true
  run.model = run.settings.model
  const reply = yield* askModel(run, { isSummary: true })
  run.state = { ...withReply(run, reply, 'max_steps'), steps }
  yield* closeOpenTurn(run, NOT_CALLED)
  return stop(run, run.signal.aborted ? 'aborted' : 'max_steps')
}

function withReply(run: Run, reply: Reply, stopReason: string): AgentState {
  countUsage(run, reply.end.usage, reply.model)
  const { state } = run
  const { end, calls, cutCalls } = reply
  const messages = appendMessage(state.messages, 'assistant', end.content)
  const container = end.details?.['container']
  const containerId = isJsonObject(container) ? container['id'] : undefined
  return {
    ...state,
    messages: nextAfter(stopReason) === 'end' ? settleLastAnswer(messages) : messages,
    steps: state.steps + (isProviderEnd(end.outcome) || stopReason === STEERED ? 1 : 0),
    stopReason,
    ...(isProviderEnd(end.outcome) && { contextTokens: toUsageTotals(end.usage).contextTokens }),
    ...(typeof containerId === 'string' && { container: containerId }),
    ...(calls.length > 0 && { turn: { calls, results: [] } }),
    ...(cutCalls.length > 0 && { unlistedCalls: [...(state.unlistedCalls ?? []), ...cutCalls] }),
  }
}

function stop(run: Run, stopReason: string): Next {
  run.stopReason = stopReason
  run.isEnding = true
  return 'end'
}

/** Messages of providers for a request that exceeds the context window. */
const tooLong = /prompt is too long|context (window|length|limit)|maximum context|too many tokens/i

function isContextFull({ outcome, failure }: MessageEnd): boolean {
  return outcome === 'failed' && failure !== undefined && tooLong.test(failure.message)
}

const answers = new Set(['end_turn', 'stop', 'stop_sequence'])

/** Checks the final answer; true if it was rejected and the model continues. */
async function* checkAnswer(
  run: Run,
  stopReason: string,
): AsyncGenerator<AgentEvent | Checkpoint, boolean, undefined> {
  const { checks = 0 } = run.state
  if (!answers.has(stopReason) || checks >= run.settings.maxAnswerChecks) return false
  const verdict = await awaitOrAbort(judgeAnswer(run, checks), run.signal)
  if (verdict === true || verdict === undefined) return false
  run.state = { ...run.state, checks: checks + 1 }
  run.steering.push(verdict)
  yield* takeSteering(run)
  return true
}

/** Returns true, or a message to the model. An answer that is no valid output is repaired once in a run. */
async function judgeAnswer({ settings, answer }: Run, checks: number): Promise<true | string> {
  const { output, finalAnswerCheck } = settings
  const text = answer.text()
  const problem = checks === 0 ? await output?.findProblem(text) : undefined
  return problem ?? finalAnswerCheck?.(text) ?? true
}

/**
 * Returns the delay before a failed model call is retried; undefined if it is not. The delay doubles with each attempt, half of it is
 * random, and a delay that the provider requests takes precedence.
 */
function retryDelayMs(
  settings: AgentSettings,
  { outcome, failure }: MessageEnd,
  attempt: number,
): number | undefined {
  const { retries, retryDelayMs: firstDelayMs, maxRetryDelayMs, random } = settings
  const isRetriable = failure?.retriable ?? outcome === 'interrupted'
  if (isProviderEnd(outcome) || outcome === 'aborted' || !isRetriable) return undefined
  if (attempt > retries) return undefined
  if (failure?.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= maxRetryDelayMs ? failure.retryAfterMs : undefined
  }
  const delayMs = firstDelayMs * 2 ** (attempt - 1) * (0.5 + random() / 2)
  return Math.min(delayMs, maxRetryDelayMs)
}

/** Adds the messages that users have sent since the last model call. */
function* takeSteering(run: Run): Generator<AgentEvent | Checkpoint, void, undefined> {
  for (const prompt of run.steering.splice(0)) {
    const settled = settleLastAnswer(run.state.messages)
    const messages = appendMessage(settled, 'user', toPromptContent(prompt))
    run.state = { ...run.state, messages }
    yield checkpoint(run.state)
    yield { type: 'user_message', agent: run.state.agent, prompt }
  }
}
