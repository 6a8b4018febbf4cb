import {
  type ApprovalDecision,
  type FrontendResult,
  type GivenAnswer,
  type PauseAnswers,
  type PendingCalls,
  splitAnswers,
  type Verdict,
} from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { hashInput } from '../../json/index.ts'
import type { CallAnswer, IdleSession } from '../../protocols/port/index.ts'
import { toCaller } from '../access/caller.ts'
import { checkAnswerCount } from '../requests/decode-body.ts'
import type { LogRange } from '../runs/run-services.ts'
import {
  type LoadedCurrentSession,
  loadCurrentSession,
  readAfterAnswer,
} from '../sessions/current-session.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import type { StoredAnswer, StoredSession } from '../sessions/session-record.ts'
import { maskCalls, showsInput } from '../views/viewed-answers.ts'
import { toMessagePrompt } from './message-prompt.ts'
import { type Outcome, type StreamRequest, viewWaiting } from './planned-request.ts'
/** The outcome of a request's answers, or the idle session in which none of them is pending. */
type AnswersOutcome = Outcome | { readonly idle: IdleSession }

/**
 * Accepts the answers of a plan to pending calls. The session decides which calls are pending; answers to others are ignored, unless they
 * contradict an accepted answer, which throws `conflict`. Answers that were all accepted before read the frames that followed them.
 */
export async function acceptAnswers(planned: StreamRequest): Promise<AnswersOutcome> {
  const { plan } = planned
  const active = plan.answers?.length ? await loadSettled(planned) : undefined
  if (active === undefined) return { idle: { isRunning: false } }
  const answers = await visibleAnswers(planned)
  const pending = pendingIn(active.stored)
  const accepted = await readAnswers(planned, active.stored, { answers, pending })
  const known = resultsKnown(answers, givenIn(active.stored))
  if (accepted.results.length + accepted.decisions.length > 0)
    return accept(planned, accepted, { pending, known })
  const repeated = findRepeated(answers, active.stored.answers)
  // With a message, they are the client's copy of the conversation.
  if (repeated === undefined || plan.message !== undefined)
    return { idle: toIdle(active, answers, pending) }
  await planned.check('answer')
  const range = readAfterAnswer(planned.context, active, repeated)
  const facts = { shows: 'answers', needsOpening: true, answered: known } as const
  return { start: () => Promise.resolve(range), isRun: false, facts }
}

/** Loads a session, after an ending run has ended: only then its pending calls are known. */
async function loadSettled({
  context,
  session,
}: StreamRequest): Promise<LoadedCurrentSession | undefined> {
  const active = await loadCurrentSession(context, session)
  if (active?.run?.isEnding() !== true) return active
  await active.run.over
  return loadCurrentSession(context, session)
}

/** Returns the answers of a plan, without calls of hidden agents. */
export async function visibleAnswers({
  context,
  request,
  session,
  plan,
}: StreamRequest): Promise<readonly CallAnswer[]> {
  const answers = plan.answers ?? []
  const ids = answers.map(({ callId }) => callId)
  const { idOf } = await maskCalls(context, toCaller(context, request), session, ids)
  return answers.map((answer) => ({ ...answer, callId: idOf(answer.callId) }))
}

/** Returns the newest accepted answer that a request repeats. */
export function findRepeated(
  answers: readonly CallAnswer[],
  accepted: readonly StoredAnswer[],
): StoredAnswer | undefined {
  const sent = new Set(answers.flatMap(({ callId, isCopy = false }) => (isCopy ? [] : [callId])))
  return accepted.findLast(({ toolUseId: callId }) => sent.has(callId))
}

/** Returns the calls of a request whose results the session has. */
export function resultsKnown(
  answers: readonly CallAnswer[],
  given: readonly GivenAnswer[],
): ReadonlySet<string> {
  const known = idsOf(given, 'result')
  return new Set(answers.map(({ callId }) => callId).filter((id) => known.has(id)))
}

/** Returns all stored answers of a session and those of its open turn. */
function givenIn(stored: StoredSession): readonly GivenAnswer[] {
  return [...stored.answers, ...(pendingIn(stored).answered ?? [])]
}

function idsOf(given: readonly GivenAnswer[], kind: GivenAnswer['kind']): ReadonlySet<string> {
  return new Set(given.filter((one) => one.kind === kind).map(({ toolUseId: callId }) => callId))
}

function toIdle(
  { head }: LoadedCurrentSession,
  answers: readonly CallAnswer[],
  { approvals }: PendingCalls,
): IdleSession {
  const undecided = answers.find(
    ({ callId, isCopy = false }) => !isCopy && approvals.some(({ id }) => id === callId),
  )
  const isRunning = head.status === 'running'
  return { isRunning, ...(undecided !== undefined && { undecided: undecided.callId }) }
}

interface Sent {
  readonly answers: readonly CallAnswer[]
  readonly pending: PendingCalls
}

/** Reads the answers to pending calls, and compares the others; faults are reported only to authorized senders. */
async function readAnswers(
  planned: StreamRequest,
  stored: StoredSession,
  { answers, pending: { calls, approvals } }: Sent,
): Promise<Required<PauseAnswers>> {
  const results: FrontendResult[] = []
  const decisions: ApprovalDecision[] = []
  try {
    for (const { callId, result, decision } of answers) {
      if (result !== undefined && calls.some(({ id }) => id === callId))
        results.push(await readResult(planned, callId, result))
      if (decision !== undefined && approvals.some(({ id }) => id === callId))
        decisions.push(await readDecision(planned, callId, decision))
    }
    await checkRepeated(planned, stored, answers)
    return { results, decisions }
  } catch (error) {
    await planned.check('answer')
    throw error
  }
}

async function readResult(
  { context, session }: StreamRequest,
  callId: string,
  read: NonNullable<CallAnswer['result']>,
): Promise<FrontendResult> {
  const { content: sent, isError } = read()
  const content = typeof sent === 'string' ? sent : await toMessagePrompt(sent, context, session)
  return { toolUseId: callId, content, isError }
}

async function readDecision(
  { context, request, session }: StreamRequest,
  callId: string,
  read: NonNullable<CallAnswer['decision']>,
): Promise<ApprovalDecision> {
  const { isApproved, shownInput, ...rest } = read()
  const isShown = shownInput !== undefined && showsInput(await context.viewOf(request, session))
  return {
    toolUseId: callId,
    outcome: isApproved ? 'approved' : 'refused',
    ...rest,
    ...(isShown && { inputHash: hashInput(shownInput) }),
    by: (await context.identify(request)).user,
  }
}

/** Throws `conflict` for an answer that contradicts an accepted one; a forgotten one cannot be compared. */
async function checkRepeated(
  planned: StreamRequest,
  stored: StoredSession,
  answers: readonly CallAnswer[],
): Promise<void> {
  const given = givenIn(stored)
  const isGiven = { result: idsOf(given, 'result'), decision: idsOf(given, 'decision') }
  const results: FrontendResult[] = []
  const decisions: ApprovalDecision[] = []
  for (const { callId, result, decision, isCopy = false } of answers) {
    if (isCopy) continue
    if (decision !== undefined && isGiven.decision.has(callId)) {
      const { isApproved, shownInput: _, ...rest } = decision()
      const outcome = isApproved ? 'approved' : 'refused'
      decisions.push({ toolUseId: callId, outcome, ...rest })
    }
    if (result !== undefined && isGiven.result.has(callId))
      results.push(await readResult(planned, callId, result))
  }
  if (results.length + decisions.length === 0) return
  // A verdict reads the whole state, so all answers are judged together first.
  const { verdict: ofAll } = await judge(planned, { results, decisions })
  if (ofAll === 'repeated') return
  for (const [, one] of splitAnswers({ results, decisions })) {
    const { verdict, error } = await judge(planned, one)
    const isConflict = verdict === 'conflict' && error !== undefined
    if (isConflict && !(await isKnownError(planned, one))) throw error
  }
}

/** Checks whether a result was accepted as an error. A client that received the result of another page may not know that. */
async function isKnownError(planned: StreamRequest, { results = [] }: PauseAnswers) {
  const failed = results.map((one) => ({ ...one, isError: true }))
  return failed.length > 0 && (await judge(planned, { results: failed })).verdict !== 'conflict'
}

function judge({ context, session }: StreamRequest, answers: PauseAnswers): Promise<Verdict> {
  return context.runs.judge(session, answers)
}

/** Accepts answers. Their message is sent to the run as it continues. */
async function accept(
  planned: StreamRequest,
  answers: Required<PauseAnswers>,
  { pending, known }: { readonly pending: PendingCalls; readonly known: ReadonlySet<string> },
): Promise<Outcome> {
  const { context, session, plan, check } = planned
  const { runs, limits } = context
  await check('answer')
  checkAnswerCount(answers.results.length + answers.decisions.length, limits.maxResults)
  const sender = plan.message && (await check('steer'))
  const prompt = plan.message && (await toMessagePrompt(plan.message.parts, context, session))
  const accepted = new Set([...answers.results, ...answers.decisions].map((one) => one.toolUseId))
  const isLeft = ({ id }: { readonly id: string }): boolean => !accepted.has(id)
  const left = await viewWaiting(planned, {
    calls: pending.calls.filter(isLeft),
    approvals: pending.approvals.filter(isLeft),
  })
  let isEmpty = false
  const start = async (): Promise<LogRange> => {
    const range = await runs.answer(session, answers)
    isEmpty = range.completion.lastId() === range.after
    const options = { context: sender?.context }
    if (prompt !== undefined && !(await runs.steer(session, prompt, options)))
      throw new MillraceError(
        'conflict',
        'The results were accepted, but the run cannot accept their message now. Send the message when the run is over.',
      )
    return range
  }
  const answered = new Set([...answers.results.map(({ toolUseId: callId }) => callId), ...known])
  const waiting = () => (isEmpty ? left : undefined)
  return { start, isRun: true, facts: { shows: 'answers', needsOpening: true, answered, waiting } }
}
