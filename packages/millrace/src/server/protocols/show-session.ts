import { logReplaced, type SessionInfo } from '../../stores/port/index.ts'
import { completedAt } from '../reading/completion.ts'
import { checkCursor, checkNamedLog, readCursor } from '../requests/cursor.ts'
import { toRequestKey } from '../requests/message-key.ts'
import type { ServerContext } from '../server-context.ts'
import {
  findCurrentSession,
  loadCurrentSession,
  readActivePart,
  readActiveRun,
  readAfterAnswer,
  readNewestRun,
} from '../sessions/current-session.ts'
import { endOf, loadField, loadPending, sessionMissing } from '../sessions/load-session.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import type { StoredAnswer } from '../sessions/session-record.ts'
import { findRepeated, resultsKnown, visibleAnswers } from './accept-answers.ts'
import { type Outcome, type StreamRequest, viewWaiting } from './planned-request.ts'
/** Shows the active run, otherwise the part of an idle session that the reply requests; undefined without content. */
export async function showSession(planned: StreamRequest): Promise<Outcome | undefined> {
  const { context, request, session, reply, check } = planned
  await check('read')
  const active = await findCurrentSession(context, session)
  checkNamedLog(request, session, active?.info)
  const readActive = reply.extent === 'run' ? readActiveRun : readActivePart
  const range =
    active &&
    ((await readActive(context, active)) ??
      (reply.showsEnded === true ? await readNewestRun(context, active) : undefined))
  const facts = { shows: 'session', needsOpening: true } as const
  if (range !== undefined) return { start: () => Promise.resolve(range), isRun: false, facts }
  return reply.otherwise === 'empty' ? showIdle(planned) : undefined
}

/** Shows a session without an active run: no frames of the log, but the pending calls. */
async function showIdle(planned: StreamRequest): Promise<Outcome> {
  const { context, session } = planned
  const loaded = await loadCurrentSession(context, session)
  const { tail, log } = loaded?.info ?? { tail: 0, log: '' }
  const pending = loaded ? pendingIn(loaded.stored) : { calls: [], approvals: [] }
  const calls = await viewWaiting(planned, pending)
  const range = { session, log, after: tail, tail, completion: completedAt(tail) }
  return {
    start: () => Promise.resolve(range),
    isRun: false,
    facts: { shows: 'session', needsOpening: true, waiting: () => calls },
  }
}

/**
 * Continues a stream after the last event that the client has read, to the end of its run: that of the request, that of
 * the answers, or the active one.
 */
export async function resumeStream(planned: StreamRequest): Promise<Outcome> {
  const { context, request, session, plan, protocol } = planned
  await planned.check('read')
  const cursor = readCursor(request)
  const active = await findCurrentSession(context, session)
  if (active === undefined)
    throw cursor.log === undefined ? sessionMissing(session) : logReplaced(session, cursor.log)
  const { info, head, run } = active
  checkCursor(cursor, info)
  const { requestId } = plan.message ?? {}
  const known =
    requestId === undefined
      ? undefined
      : await context.runs.find(info, await toRequestKey(protocol, requestId))
  // Head and answers alone: a reconnect does not read the conversation.
  const answers = plan.answers?.length ? await visibleAnswers(planned) : []
  const remembered = answers.length === 0 ? [] : await loadAnswers(context, info)
  const { answered: ofTurn = [] } =
    answers.length === 0 ? {} : await loadPending(context.store, info, head)
  const answer = known ? undefined : findRepeated(answers, remembered)
  const going = run ?? (context.runs.isServed(info) ? context.runs.remote(info) : undefined)
  const { completion } =
    known?.range ??
    (answer
      ? readAfterAnswer(context, active, answer)
      : { completion: going ?? completedAt(info.tail) })
  const range = { session, ...cursor, log: info.log, ...endOf(active), completion }
  const isAnswer = known === undefined && answers.length > 0
  return {
    start: () => Promise.resolve(range),
    isRun: false,
    facts: {
      shows: isAnswer ? 'answers' : plan.message ? 'message' : 'session',
      // Frames within the first event of the log follow the opening.
      needsOpening: cursor.frames !== undefined,
      run: known?.run ?? (plan.message && head.runs),
      answered: resultsKnown(answers, [...remembered, ...ofTurn]),
    },
  }
}

/** The accepted answers that a session remembers. */
async function loadAnswers(
  { store }: ServerContext,
  info: SessionInfo,
): Promise<readonly StoredAnswer[]> {
  return ((await loadField(store, info, 'answers')) ?? []) as readonly StoredAnswer[]
}
