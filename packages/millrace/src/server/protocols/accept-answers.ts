import type {
  ApprovalDecision,
  FrontendResult,
  GivenAnswer,
  PauseAnswers,
  PendingCalls,
} from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { hashInput } from '../../json/index.ts'
import type { CallAnswer, IdleSession } from '../../protocols/port/index.ts'
import { checkAnswerCount } from '../requests/check-answer-count.ts'
import type { LogRange } from '../runs/run-services.ts'
import {
  type LoadedCurrentSession,
  loadCurrentSession,
  readAfterAnswer,
} from '../sessions/current-session.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import type { StoredAnswer, StoredSession } from '../sessions/session-record.ts'
import { maskCalls } from '../views/hidden-calls.ts'
import { showsInput } from '../views/viewed-answers.ts'
import { toMessagePrompt } from './message-prompt.ts'
import type { Outcome, StreamRequest } from './planned-request.ts'
import { viewWaiting } from './stream-facts.ts'

/** The outcome of the answers of a request, or the idle session that waits for none of them. */
export type AnswersOutcome = Outcome | { readonly idle: IdleSession }

/**
 * Accepts the answers of a plan to calls that wait. The session decides which calls do; what a client says of others is ignored, unless
 * it contradicts an accepted answer, which throws `conflict`. Answers that were all accepted before read what followed from them.
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

/** Loads a session once a run that is ending has ended: only then is known which calls wait. */
async function loadSettled({
  context,
  session,
}: StreamRequest): Promise<LoadedCurrentSession | undefined> {
  const active = await loadCurrentSession(context, session)
  if (active?.run?.isEnding() !== true) return active
  await active.run.over
  return loadCurrentSession(context, session)
}

/** The answers of a plan, in which calls of hidden agents do not exist. */
export async function visibleAnswers({
  context,
  request,
  session,
  plan,
}: StreamRequest): Promise<readonly CallAnswer[]> {
  const answers = plan.answers ?? []
  const ids = answers.map(({ callId }) => callId)
  const { idOf } = await maskCalls(context, request, session, ids)
  return answers.map((answer) => ({ ...answer, callId: idOf(answer.callId) }))
}

/** The newest of the accepted answers that a request repeats. */
export function findRepeated(
  answers: readonly CallAnswer[],
  accepted: readonly StoredAnswer[],
): StoredAnswer | undefined {
  const sent = new Set(answers.flatMap(({ callId, isCopy = false }) => (isCopy ? [] : [callId])))
  return accepted.findLast(({ toolUseId }) => sent.has(toolUseId))
}

/** The calls of a request whose results the session has. */
export function resultsKnown(
  answers: readonly CallAnswer[],
  given: readonly GivenAnswer[],
): ReadonlySet<string> {
  const known = idsOf(given, 'result')
  return new Set(answers.map(({ callId }) => callId).filter((id) => known.has(id)))
}

/** All answers that a session knows: those that it remembers, and those of its open turn. */
function givenIn(stored: StoredSession): readonly GivenAnswer[] {
  return [...stored.answers, ...(pendingIn(stored).answered ?? [])]
}

function idsOf(given: readonly GivenAnswer[], kind: GivenAnswer['kind']): ReadonlySet<string> {
  return new Set(given.filter((one) => one.kind === kind).map(({ toolUseId }) => toolUseId))
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

/** Reads the answers to calls that wait, and compares the others; faults are reported only to those who may answer. */
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
  toolUseId: string,
  read: NonNullable<CallAnswer['result']>,
): Promise<FrontendResult> {
  const { content: sent, isError } = read()
  const content = typeof sent === 'string' ? sent : await toMessagePrompt(sent, context, session)
  return { toolUseId, content, isError }
}

async function readDecision(
  { context, request, session, principal }: StreamRequest,
  toolUseId: string,
  read: NonNullable<CallAnswer['decision']>,
): Promise<ApprovalDecision> {
  const { isApproved, shownInput, ...rest } = read()
  const isShown = shownInput !== undefined && showsInput(await context.viewOf(request, session))
  return {
    toolUseId,
    outcome: isApproved ? 'approved' : 'refused',
    ...rest,
    ...(isShown && { inputHash: hashInput(shownInput) }),
    by: principal ?? null,
  }
}

/** Throws `conflict` for an answer that contradicts an accepted one; one that is no longer known cannot be compared. */
async function checkRepeated(
  planned: StreamRequest,
  stored: StoredSession,
  answers: readonly CallAnswer[],
): Promise<void> {
  const given = givenIn(stored)
  const [results, decisions] = [idsOf(given, 'result'), idsOf(given, 'decision')]
  for (const { callId, result, decision, isCopy = false } of answers) {
    if (isCopy) continue
    if (decision !== undefined && decisions.has(callId)) {
      const { isApproved, shownInput: _, ...rest } = decision()
      const outcome = isApproved ? 'approved' : 'refused'
      const conflict = await findConflict(planned, {
        decisions: [{ toolUseId: callId, outcome, ...rest }],
      })
      if (conflict !== undefined) throw conflict
    }
    if (result === undefined || !results.has(callId)) continue
    const repeated = await readResult(planned, callId, result)
    const conflict = await findConflict(planned, { results: [repeated] })
    // A client that received the result of another page may not know that it is an error.
    const failed = { results: [{ ...repeated, isError: true }] }
    if (conflict !== undefined && (await findConflict(planned, failed)) !== undefined)
      throw conflict
  }
}

async function findConflict(
  { context, session }: StreamRequest,
  answers: PauseAnswers,
): Promise<Error | undefined> {
  const { verdict, error } = await context.runs.judge(session, answers)
  return verdict === 'conflict' ? error : undefined
}

/** Accepts answers. A message that comes with them goes to the run as it continues. */
async function accept(
  planned: StreamRequest,
  answers: Required<PauseAnswers>,
  { pending, known }: { readonly pending: PendingCalls; readonly known: ReadonlySet<string> },
): Promise<Outcome> {
  const { context, session, plan, check } = planned
  const { runs, limits } = context
  await check('answer')
  checkAnswerCount(answers.results.length + answers.decisions.length, limits.maxResults)
  if (plan.message !== undefined) await check('steer')
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
    if (prompt !== undefined && !(await runs.steer(session, prompt))) throw notSteered()
    return range
  }
  const answered = new Set([...answers.results.map(({ toolUseId }) => toolUseId), ...known])
  const waiting = () => (isEmpty ? left : undefined)
  return { start, isRun: true, facts: { shows: 'answers', needsOpening: true, answered, waiting } }
}

function notSteered(): MillraceError {
  return new MillraceError(
    'conflict',
    'The results were taken, but the run does not take the message that came with them now. Send it once the run is over.',
  )
}
