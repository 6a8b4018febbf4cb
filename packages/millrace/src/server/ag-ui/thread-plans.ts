import type { PauseAnswers, PendingCalls } from '../../agent/port/index.ts'
import type { AgUiEvent, AgUiWaiting } from '../../protocols/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { hasFailed } from '../commands/receipts.ts'
import type { PromptRequest } from '../commands/prompt-request.ts'
import {
  findCurrentSession,
  type LoadedCurrentSession,
  loadCurrentSession,
  readAfterAnswer,
} from '../sessions/current-session.ts'
import { ownerOf } from '../server-context.ts'
import { readCursor } from '../requests/cursor.ts'
import { logReplaced } from '../../stores/port/index.ts'
import { type LogRange, sessionMissing } from '../runs/run-services.ts'
import { checkAnswerCount } from '../requests/check-answer-count.ts'
import { isConflict } from '../requests/is-conflict.ts'
import { digestOf, toMessageId } from '../requests/message-key.ts'
import type { FoundPrompt } from '../runs/runs.ts'
import { loadField, loadPending } from '../sessions/load-session.ts'
import type { StoredAnswer, StoredSession } from '../sessions/session-record.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import { disguiseCalls } from '../views/hidden-calls.ts'
import { callIdsIn, questionIn, type RunInput, toolMessages, withCallIds } from './run-input.ts'
import { type Thread, toOpening, toPromptOptions, toState, toWaiting } from './thread.ts'
import { findTaken, givesUp, toThreadAnswers } from './thread-answers.ts'
import { checkRepeats, givenIn, heldResults } from './thread-repeats.ts'
import { toThreadPrompt } from './thread-prompt.ts'
import {
  findRequest,
  readActivePart,
  readNothing,
  readRest,
  toQuestionKey,
  toRequestKey,
} from './thread-readings.ts'

/** How a request is answered. */
export interface ThreadPlan {
  /** Does what is asked for, and gives what to read of it. */
  readonly start: () => Promise<LogRange>
  /** Whether a run may begin, or go on, by it. */
  readonly isRun: boolean
  readonly opening?: readonly AgUiEvent[]
  /** What the thread waits for, where nothing new is said of it. */
  readonly waiting?: () => AgUiWaiting | undefined
  /** Whether the question is told as a message: clients that asked it have it. */
  readonly prompts: 'tell' | 'leave_out'
  readonly steered?: string
  /** The calls whose results the client holds. */
  readonly answered?: ReadonlySet<string>
}

/** What a question is asked with, besides its words. */
export type PromptOptions = Pick<PromptRequest, 'agentType' | 'toolInput'>

/** Decides what a request leads to: a client that comes back with the last id it has read asks for nothing else. */
export async function planThread(thread: Thread, manner: PromptOptions): Promise<ThreadPlan> {
  const { context, request, session } = thread
  await checkEntry(thread)
  const { idOf } = await disguiseCalls(context, request, session, callIdsIn(thread.input))
  const visible = { ...thread, input: withCallIds(thread.input, idOf) }
  if (isRest(thread)) return planRest(visible)
  return (await planAnswer(visible)) ?? planOther(visible, manner)
}

/**
 * Refuses a request that may do nothing of what it can lead to, before anything is read for it. Results that a client
 * sends may be answers or its copy of old ones: only a look at the thread tells, and what it then does is checked.
 */
async function checkEntry(thread: Thread): Promise<void> {
  const { input, check } = thread
  try {
    await check(isRest(thread) || questionIn(input) === undefined ? 'read' : 'run')
  } catch (refusal) {
    if (isRest(thread) || !hasAnswers(input)) throw refusal
    await check('answer').catch(() => Promise.reject(refusal))
  }
}

/** Tells whether a client has come back after the last event that it read. */
function isRest({ request }: Thread): boolean {
  return (request.headers.get('last-event-id') ?? '') !== ''
}

function hasAnswers(input: RunInput): boolean {
  return toolMessages(input).length + (input.resume ?? []).length > 0
}

/** Asks the newest message; without one there is nothing to do but to show where the thread stands. */
function planOther(thread: Thread, manner: PromptOptions): Promise<ThreadPlan> {
  const message = questionIn(thread.input)
  return message === undefined ? planView(thread) : planPrompt(thread, message, manner)
}

async function planRest(thread: Thread): Promise<ThreadPlan> {
  const { context, request, session, input } = thread
  await thread.check('read')
  const cursor = readCursor(request)
  // Head and answers alone: the conversation does not count for a reconnect.
  const state = await findCurrentSession(context, session)
  if (state === undefined)
    throw cursor.log === undefined ? sessionMissing(session) : logReplaced(session, cursor.log)
  const known = await findRequest(context, state, input)
  const isAsked = questionIn(input) !== undefined
  const isAnswer = known === undefined && hasAnswers(input)
  const before = known?.run ?? (isAsked ? state.head.runs : undefined)
  // What was said before the first message is needed only by those who were cut in the middle of it.
  const isNeeded = cursor.frames !== undefined && !isAnswer
  const opening = isNeeded ? await toOpening(thread, before) : toState(thread)
  const { store } = context
  const answers = ((await loadField(store, state.info, 'answers')) ?? []) as readonly StoredAnswer[]
  const { answered: ofTurn = [] } = await loadPending(store, state.info, state.head)
  const range = readRest(context, state, { input, request: known, answers }, cursor)
  const prompts = isAsked || isAnswer ? 'leave_out' : 'tell'
  const answered = heldResults(input, [...answers, ...ofTurn])
  return { start: () => Promise.resolve(range), isRun: false, opening, prompts, answered }
}

/** Shows where a thread stands: the part of a run that is under way, or what there was and is waited for. */
async function planView(thread: Thread): Promise<ThreadPlan> {
  const { context, session } = thread
  await thread.check('read')
  const state = await loadCurrentSession(context, session)
  const active = state && (await readActivePart(context, state))
  const opening = await toOpening(thread, undefined)
  const range = active ?? readNothing(session, state?.info ?? { tail: 0, log: '' })
  const pending = state === undefined ? NOTHING : await toWaiting(thread, pendingIn(state.stored))
  const waiting = () => (active === undefined ? pending : undefined)
  return { start: () => Promise.resolve(range), isRun: false, opening, waiting, prompts: 'tell' }
}

const NOTHING: AgUiWaiting = { results: [], approvals: [] }

/** Asks what the newest message says, unless the request has done so before. */
async function planPrompt(
  thread: Thread,
  message: JsonObject,
  manner: PromptOptions,
): Promise<ThreadPlan> {
  const { context, request, session, input } = thread
  await thread.check('run')
  const prompt = await toThreadPrompt(message['content'], toPromptOptions(thread))
  const digest = await digestOf([String(message['id']), prompt])
  const key = {
    key: toQuestionKey(digest),
    alias: await toRequestKey(input),
    digest,
    reuse: 'after_failure' as const,
    ...toMessageId(message['id']),
  }
  const state = await loadCurrentSession(context, session)
  const found = state && (await findAsked(thread, state, digest))
  const opening = await toOpening(thread, found?.run)
  const owner = await ownerOf(context, request)
  const question = { session, prompt, owner, key, history: false, ...manner }
  const start = async (): Promise<LogRange> => {
    if (found !== undefined) return found.range
    try {
      return await context.runs.ask(question)
    } catch (error) {
      // The same request, sent twice at once, was faster.
      const now = isConflict(error) ? await loadCurrentSession(context, session) : undefined
      const same = now && (await findAsked(thread, now, digest))
      if (same === undefined) throw error
      return same.range
    }
  }
  return { start, isRun: true, opening, prompts: 'leave_out' }
}

/** What a question has led to, if this request or another one has asked it; a question whose run has failed is asked again. */
async function findAsked(
  { context, input }: Thread,
  state: LoadedCurrentSession,
  digest: string,
): Promise<FoundPrompt | undefined> {
  const request = await findRequest(context, state, input)
  if (request !== undefined) return request
  if (state.head.prompt?.digest === digest) {
    const range = await readActivePart(context, state)
    if (range !== undefined) return { run: state.head.runs, range }
  }
  const asked = await context.runs.find(state.info, toQuestionKey(digest))
  return asked === undefined || hasFailed(state.head, asked.run) ? undefined : asked
}

/** Gives a run that waits what the client answers; undefined if it answers nothing that is waited for. */
async function planAnswer(thread: Thread): Promise<ThreadPlan | undefined> {
  const { context, input } = thread
  if (!hasAnswers(input)) return undefined
  const state = givesUp(input) ? undefined : await findSettled(thread)
  if (state === undefined) return undefined
  const pending = pendingIn(state.stored)
  const answers = await readAnswers(thread, state.stored, pending)
  const count = answers.results.length + answers.decisions.length
  if (count === 0) return planAgain(thread, state)
  await thread.check('answer')
  checkAnswerCount(count, context.limits.maxResults)
  const left = await toWaiting(thread, {
    calls: pending.calls.filter(({ id }) => !isIn(id, answers)),
    approvals: pending.approvals.filter(({ id }) => !isIn(id, answers)),
  })
  const given = answers.results.map(({ toolUseId }) => toolUseId)
  const answered = new Set([...given, ...heldResults(input, givenIn(state.stored))])
  return { ...(await toAnswering(thread, answers, { ...left, isTold: true })), answered }
}

/** What a client answers; what is wrong with it is told to nobody who may not answer. */
async function readAnswers(
  thread: Thread,
  stored: StoredSession,
  pending: PendingCalls,
): Promise<Required<PauseAnswers>> {
  const { input } = thread
  try {
    const answers = await toThreadAnswers(input, pending, toPromptOptions(thread))
    await checkRepeats(thread, stored)
    return answers
  } catch (error) {
    await thread.check('answer')
    throw error
  }
}

/** Reads what has followed from the same answers, if they were taken before. */
async function planAgain(
  thread: Thread,
  state: LoadedCurrentSession,
): Promise<ThreadPlan | undefined> {
  const { context, input } = thread
  const taken = findTaken(input, state.stored.answers)
  if (taken === undefined || questionIn(input) !== undefined) return undefined
  await thread.check('answer')
  const range = readAfterAnswer(context, state, taken)
  const answered = heldResults(input, givenIn(state.stored))
  const start = () => Promise.resolve(range)
  return { start, isRun: false, opening: toState(thread), prompts: 'leave_out', answered }
}

/** Answers, and tells the run as it goes on what the client says besides. */
async function toAnswering(
  thread: Thread,
  answers: Required<PauseAnswers>,
  left: AgUiWaiting,
): Promise<ThreadPlan> {
  const { context, request, session, input } = thread
  const { runs } = context
  const message = questionIn(input)
  let isEmpty = false
  if (message !== undefined) await thread.check('steer')
  const prompt = message && (await toThreadPrompt(message['content'], toPromptOptions(thread)))
  const by = (await context.principal(request)) ?? null
  const decisions = answers.decisions.map((decision) => ({ ...decision, by }))
  const start = async (): Promise<LogRange> => {
    const range = await runs.answer(session, { ...answers, decisions })
    isEmpty = range.completion.lastId() === range.after
    if (prompt !== undefined && !(await runs.steer(session, prompt))) throw notSteered()
    return range
  }
  return {
    start,
    isRun: true,
    opening: toState(thread),
    waiting: () => (isEmpty ? left : undefined),
    prompts: 'leave_out',
    ...(typeof prompt === 'string' && { steered: prompt }),
  }
}

/** Where a thread stands once a run that is ending has come to its end: only then is known what waits. */
async function findSettled({
  context,
  session,
}: Thread): Promise<LoadedCurrentSession | undefined> {
  const state = await loadCurrentSession(context, session)
  if (state?.run?.isEnding() !== true) return state
  await state.run.over
  return loadCurrentSession(context, session)
}

function isIn(id: string, { results = [], decisions = [] }: PauseAnswers): boolean {
  return [...results, ...decisions].some(({ toolUseId }) => toolUseId === id)
}

function notSteered(): MillraceError {
  return new MillraceError(
    'conflict',
    'The results were taken, but the run does not take the message that came with them now. Send it once the run is over.',
  )
}
