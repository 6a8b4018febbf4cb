import { checkCursor, LOG_HEADER, namedLog, readCursor } from '../requests/cursor.ts'
import { endOf, findUsedSession, loadPending } from '../sessions/load-session.ts'
import { readQueue } from '../commands/queue.ts'
import { readConversations } from '../runs/stored-run.ts'
import { completedAt } from '../reading/completion.ts'
import { isRunning } from '../runs/run-services.ts'
import { checkAccess, maySee } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { readDecisions } from '../sessions/decisions-view.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { encodeHistoryView, encodeSessionView, toListView } from '../sessions/session-view.ts'
import { readTimesView } from '../runs/run-times.ts'
import { requestSchemas, sessionParameter } from '../requests/decode-body.ts'
import { answerSchemas, defineRoute, sessionErrors } from './route.ts'
import { streamAnswer, streamErrors } from './run-routes.ts'

/** Lists the sessions, most recently written first. */
export const sessionsRoute = defineRoute({
  method: 'GET',
  path: '/agent/sessions',
  summary: 'Lists the sessions, most recently written first.',
  query: async () => (await requestSchemas()).sessionsQuery,
  answer: {
    description: 'A page of the list, and the total.',
    content: async () => (await answerSchemas()).sessionsAnswer,
  },
  errors: ['bad_request', 'store_unavailable'],
  handle: async (context, { request, query }) => {
    const sender = await checkAccess(context, request, 'list', undefined)
    const owned = sender.isScoped && sender.owner !== null && { owner: sender.owner }
    const { rows, total } = await context.store.list({ ...query, ...owned })
    const seen = await Promise.all(rows.map((row) => maySee(context, request, sender, row)))
    const page = { rows: rows.filter((_, index) => seen[index]), total }
    const rulesOf = (session: string) => context.viewOf(request, session)
    const isServed = (session: string) => isUnderWay(context, session)
    const view = await toListView(page, { rulesOf, isServed })
    const running = view.sessions.filter(({ status }) => status === 'running')
    // Not awaited: each recovery may take long.
    void recoverEach(
      context,
      running.map(({ agent_uuid: session }) => session),
    )
    return Response.json(view)
  },
})

/** Returns the state of a session, with its pending calls. */
export const sessionRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}',
  summary: 'Returns the state of a session, with its pending calls.',
  parameters: { uuid: sessionParameter },
  answer: {
    description: 'The state of the session.',
    content: async () => (await answerSchemas()).sessionAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    await checkAccess(context, request, 'read', session)
    const before = context.runs.active(session)
    const find = () => findUsedSession(context.store, session, { log: namedLog(request) })
    const found = await find()
    const mayBeLost = isRunning(found.info) && before === undefined
    if (mayBeLost) await context.runs.tryRecover(session)
    const { info, head } = mayBeLost ? await find() : found
    // A run may end or start while the store is read.
    const isActive =
      (before ?? context.runs.active(session)) !== undefined || context.runs.isServed(info)
    const rules = await context.viewOf(request, session)
    const pending = await loadPending(context.store, info, head)
    const queue = await readQueue(context.store, info)
    const view = { isActive, pending, queue, rules }
    return toJsonResponse(encodeSessionView(info, head, view), info)
  },
})

/** Lists the ended and paused runs of a session, newest first. */
export const conversationsRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/conversations',
  summary: 'Lists the ended and paused runs of a session, newest first, in pages.',
  parameters: { uuid: sessionParameter },
  query: async () => (await requestSchemas()).conversationsQuery,
  answer: {
    description: 'Runs with a number below `before`.',
    content: async () => (await answerSchemas()).conversationsAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const { info, head } = await findUsedSession(context.store, session, { log: namedLog(request) })
    const { before, limit } = query
    const runs = await readConversations({ ...context, session }, { before, limit: limit + 1 })
    const rules = await context.viewOf(request, session)
    const { title = '' } = head ?? {}
    return toJsonResponse(encodeHistoryView(runs, { limit, title, rules }), info)
  },
})

/** Lists the times of the frames of a session, which its stream does not contain. */
export const timesRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/times',
  summary: 'Lists the times of the frames of a session, run by run, in pages.',
  parameters: { uuid: sessionParameter },
  query: async () => (await requestSchemas()).conversationsQuery,
  answer: {
    description: 'Times of runs with a number below `before`.',
    content: async () => (await answerSchemas()).timesAnswer,
  },
  errors: sessionErrors,
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const found = await findUsedSession(context.store, session, { log: namedLog(request) })
    const range = { ...query, tail: found.info.tail }
    const times = await readTimesView({ store: context.store, session }, range)
    return toJsonResponse(JSON.stringify(times), found.info)
  },
})

/** Lists the decisions on calls, with the user who decided, their time and arguments. */
export const decisionsRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/decisions',
  summary: 'Lists the decisions on calls of a session, oldest first, in pages.',
  parameters: { uuid: sessionParameter },
  query: async () => (await requestSchemas()).decisionsQuery,
  answer: {
    description: 'Decisions with an id above `after`.',
    content: async () => (await answerSchemas()).decisionsAnswer,
  },
  errors: [...sessionErrors, 'log_truncated'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const found = await findUsedSession(context.store, session, { log: namedLog(request) })
    const rules = await context.viewOf(request, session)
    const page = await readDecisions(context.store, found, { ...query, rules })
    return toJsonResponse(JSON.stringify(page), found.info)
  },
})

/**
 * Streams the log from a cursor. Ends when the active run ends or pauses, after the replay if there is none, and never
 * with `follow=1`, which share links do not have.
 */
export const streamRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/stream',
  summary: 'Streams a session, or resumes after the last frame that was read.',
  parameters: { uuid: sessionParameter },
  query: async () => (await requestSchemas()).streamQuery,
  headers: {
    'Last-Event-ID': 'The id of the last frame that was read; takes precedence over `cursor`.',
    'Millrace-Log': 'The id of the log that was read; takes precedence over `log`.',
  },
  answer: {
    ...streamAnswer,
    empty: 'An `EventSource` reconnects after the last frame, and no run is active.',
  },
  errors: [...streamErrors, 'not_found', 'cursor_malformed', 'cursor_ahead', 'cursor_trimmed'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    const { store, runs, readers } = context
    const { quotaKey, isShared = false } = await checkAccess(context, request, 'read', session)
    const format = await context.protocols.chooseFormat(request)
    const cursor = readCursor(request, query.cursor)
    const open = async () => {
      await runs.recoverIfLapsed(session)
      // Read before the tail, so that a run that ends meanwhile is not truncated.
      let before = runs.active(session)
      let found = await findUsedSession(store, session, cursor)
      if (found.info.pending > 0 && before?.isEnding() !== false) {
        // A prompt that waited for the end of a run is about to start.
        await runs.carryOutPending(session)
        before = runs.active(session)
        found = await findUsedSession(store, session, cursor)
      }
      const { info } = found
      checkCursor(cursor, info)
      const run = before ?? runs.active(session)
      const stream = { session, ...cursor, log: info.log, ...endOf(found) }
      // An endless stream would outlive its share link. [SES-7]
      if (query.follow === '1' && !isShared) return { ...stream, completion: readers.endless }
      const completion = run ?? (runs.isServed(info) ? runs.remote(info) : completedAt(info.tail))
      return { ...stream, completion }
    }
    return readers.respond(request, open, { quotaKey, format })
  },
})

/** Whether a server executes a run that is stored as running. */
async function isUnderWay({ runs, store }: ServerContext, session: string): Promise<boolean> {
  if (runs.active(session) !== undefined) return true
  const info = await store.info(session)
  return info !== undefined && runs.isServed(info)
}

/** Recovers lost runs of these sessions, one after the other. */
async function recoverEach({ runs }: ServerContext, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) await runs.tryRecover(session)
}

function toJsonResponse(json: string, { log }: SessionInfo): Response {
  return new Response(json, { headers: { 'content-type': 'application/json', [LOG_HEADER]: log } })
}
