import { checkCursor, LOG_HEADER, namedLog, readCursor } from '../requests/cursor.ts'
import { endOf, findSession } from '../sessions/find-session.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { loadPending } from '../sessions/load-session.ts'
import { readQueue } from '../commands/queue.ts'
import { readConversations } from '../runs/stored-run.ts'
import { completedAt } from '../reading/completion.ts'
import { checkAccess, type ServerContext } from '../server-context.ts'
import { sessionParameter } from '../requests/path-parameters.ts'
import { readDecisions } from '../sessions/decisions-view.ts'
import {
  conversationsQuery,
  decisionsQuery,
  sessionsQuery,
  streamQuery,
} from '../requests/request-queries.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { encodeHistoryView, encodeSessionView, toListView } from '../sessions/session-view.ts'
import { readTimesView } from '../sessions/times-view.ts'
import {
  conversationsAnswer,
  decisionsAnswer,
  sessionAnswer,
  sessionsAnswer,
  timesAnswer,
} from './answers.ts'
import { defineRoute } from './route.ts'
import { streamAnswer, streamErrors } from './stream-run.ts'

/** Lists the sessions, the one written to last first. */
export const sessionsRoute = defineRoute({
  method: 'GET',
  path: '/agent/sessions',
  summary: 'Lists the sessions, the one written to last first.',
  query: sessionsQuery,
  answer: { description: 'A part of the list, and how many there are.', content: sessionsAnswer },
  errors: ['bad_request', 'store_unavailable'],
  handle: async (context, { request, query }) => {
    await checkAccess(context, request, 'list', undefined)
    const page = await mapStoreErrors(context.store.list(query))
    const rulesOf = (session: string) => context.viewOf(request, session)
    const isCarriedOn = (session: string) => isUnderWay(context, session)
    const view = await toListView(page, { rulesOf, isCarriedOn })
    const running = view.sessions.filter(({ status }) => status === 'running')
    // Not waited for: each may be long.
    void recoverEach(
      context,
      running.map(({ agent_uuid: session }) => session),
    )
    return Response.json(view)
  },
})

/** Tells where a session stands, with the calls that wait. */
export const sessionRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}',
  summary: 'Tells where a session stands, with the calls that wait.',
  parameters: { uuid: sessionParameter },
  answer: { description: 'The state of the session.', content: sessionAnswer },
  errors: ['bad_request', 'not_found', 'log_replaced', 'store_unavailable'],
  handle: async (context, { request, path: { uuid: session = '' } }) => {
    await checkAccess(context, request, 'read', session)
    const before = context.runs.active(session)
    const find = () => findSession(context.store, session, { log: namedLog(request) })
    const found = await find()
    const mayBeLost = found.head.status === 'running' && before === undefined
    if (mayBeLost) await context.runs.tryRecover(session)
    const { info, head } = mayBeLost ? await find() : found
    // A run may end or begin while the store is asked.
    const isActive =
      (before ?? context.runs.active(session)) !== undefined || context.runs.isCarriedOn(info)
    const rules = await context.viewOf(request, session)
    const pending = await loadPending(context.store, info, head)
    const queue = await readQueue(context.store, info)
    const view = { isActive, pending, queue, rules }
    return toJsonResponse(encodeSessionView(info, head, view), info)
  },
})

/** Tells the runs of a session that are over, the newest first. */
export const conversationsRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/conversations',
  summary: 'Tells the runs of a session that are over or wait, the newest first, in parts.',
  parameters: { uuid: sessionParameter },
  query: conversationsQuery,
  answer: { description: 'Runs with a number below `before`.', content: conversationsAnswer },
  errors: ['bad_request', 'not_found', 'log_replaced', 'store_unavailable'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const found = await findSession(context.store, session, { log: namedLog(request) })
    const { before, limit } = query
    const runs = await mapStoreErrors(
      readConversations({ ...context, session }, { before, limit: limit + 1 }),
    )
    const rules = await context.viewOf(request, session)
    const { title } = found.head
    return toJsonResponse(encodeHistoryView(runs, { limit, title, rules }), found.info)
  },
})

/** Tells when the messages of a session were told; the stream itself tells no times. */
export const timesRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/times',
  summary: 'Tells when the messages of a session were told, run by run, in parts.',
  parameters: { uuid: sessionParameter },
  query: conversationsQuery,
  answer: { description: 'Of runs with a number below `before`.', content: timesAnswer },
  errors: ['bad_request', 'not_found', 'log_replaced', 'store_unavailable'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const found = await findSession(context.store, session, { log: namedLog(request) })
    const range = { ...query, tail: found.info.tail }
    const times = await mapStoreErrors(readTimesView({ store: context.store, session }, range))
    return toJsonResponse(JSON.stringify(times), found.info)
  },
})

/** Lists the decisions on calls: who decided, when, on which arguments. */
export const decisionsRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/decisions',
  summary: 'Lists the decisions on calls of a session, oldest first, in parts.',
  parameters: { uuid: sessionParameter },
  query: decisionsQuery,
  answer: { description: 'Decisions with an id above `after`.', content: decisionsAnswer },
  errors: ['bad_request', 'not_found', 'log_replaced', 'log_truncated', 'store_unavailable'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(context, request, 'read', session)
    const found = await findSession(context.store, session, { log: namedLog(request) })
    const rules = await context.viewOf(request, session)
    const page = await readDecisions(context.store, found, { ...query, rules })
    return toJsonResponse(JSON.stringify(page), found.info)
  },
})

/**
 * The log from a cursor on. Ends when the run under way ends or pauses, at once after the replay if there is none,
 * never with `follow=1`.
 */
export const streamRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}/stream',
  summary: 'Watches a session, or resumes after the last message that was read.',
  parameters: { uuid: sessionParameter },
  query: streamQuery,
  headers: {
    'Last-Event-ID': 'The id of the last message that was read; wins over `cursor`.',
    'Millrace-Log': 'The id of the log that was read; wins over `log`.',
  },
  answer: {
    ...streamAnswer,
    empty: 'An `EventSource` has come back after the last message, and no run is under way.',
  },
  errors: [...streamErrors, 'not_found', 'cursor_malformed', 'cursor_ahead', 'cursor_trimmed'],
  handle: async (context, { request, path: { uuid: session = '' }, query }) => {
    const { store, runs, readers } = context
    await checkAccess(context, request, 'read', session)
    const dialect = await context.protocols.chooseFormat(request)
    const cursor = readCursor(request, query.cursor)
    const open = async () => {
      await runs.recoverIfLapsed(session)
      // Looked at before the tail is, so that a run which ends meanwhile is not cut short.
      let before = runs.active(session)
      let found = await findSession(store, session, cursor)
      if (found.info.pending > 0 && before?.isEnding() !== false) {
        // A prompt that has waited for the end of a run is about to begin.
        await runs.attend(session)
        before = runs.active(session)
        found = await findSession(store, session, cursor)
      }
      const { info } = found
      checkCursor(cursor, info)
      const run = before ?? runs.active(session)
      const stream = { session, ...cursor, log: info.log, ...endOf(found) }
      if (query.follow === '1') return { ...stream, completion: readers.endless }
      const completion =
        run ?? (runs.isCarriedOn(info) ? runs.remote(info) : completedAt(info.tail))
      return { ...stream, completion }
    }
    const principal = await context.principal(request)
    return readers.respond(request, open, { principal, dialect })
  },
})

/** Whether a run that is stored as under way is carried on, here or by another server. */
async function isUnderWay({ runs, store }: ServerContext, session: string): Promise<boolean> {
  if (runs.active(session) !== undefined) return true
  const info = await mapStoreErrors(store.info(session))
  return info !== undefined && runs.isCarriedOn(info)
}

/** Carries on the runs among these that were lost, one after the other. */
async function recoverEach({ runs }: ServerContext, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) await runs.tryRecover(session)
}

function toJsonResponse(json: string, { log }: SessionInfo): Response {
  return new Response(json, { headers: { 'content-type': 'application/json', [LOG_HEADER]: log } })
}
