import type { z } from 'zod'
import { checkCursor, decodeCursor } from '../requests/cursor.ts'
import { findSession } from '../find-session.ts'
import { fromStore } from '../from-store.ts'
import { toFixedGoal } from '../goal.ts'
import { checkAccess, type House } from '../house.ts'
import { chooseDialect } from '../requests/choose-dialect.ts'
import { sessionParameter } from '../requests/path-parameters.ts'
import { conversationsQuery, sessionsQuery, streamQuery } from '../requests/request-queries.ts'
import { encodeHistoryView, encodeSessionView, toListView } from '../session-view.ts'
import { toTimesView } from '../times-view.ts'
import { conversationsAnswer, sessionAnswer, sessionsAnswer, timesAnswer } from './answers.ts'
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
  handle: async (house, { request, query }) => {
    await checkAccess(house, request, 'list', undefined)
    const page = await fromStore(house.store.list(query))
    const rulesOf = (session: string) => house.viewOf(request, session)
    const isCarriedOn = (session: string) => isUnderWay(house, session)
    return Response.json(await toListView(page, { rulesOf, isCarriedOn }))
  },
})

/** Tells where a session stands, with the calls that wait. */
export const sessionRoute = defineRoute({
  method: 'GET',
  path: '/agent/{uuid}',
  summary: 'Tells where a session stands, with the calls that wait.',
  parameters: { uuid: sessionParameter },
  answer: { description: 'The state of the session.', content: sessionAnswer },
  errors: ['bad_request', 'not_found', 'store_unavailable'],
  handle: async (house, { request, path: { uuid: session = '' } }) => {
    await checkAccess(house, request, 'read', session)
    const before = house.runs.active(session)
    const { info, stored } = await findSession(house.store, session)
    // A run may end or begin while the store is asked.
    const isActive =
      (before ?? house.runs.active(session)) !== undefined || house.runs.isCarriedOn(info)
    const rules = await house.viewOf(request, session)
    return toJsonResponse(encodeSessionView(info, stored, { isActive, rules }))
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
  errors: ['bad_request', 'not_found', 'store_unavailable'],
  handle: async (house, { request, path: { uuid: session = '' }, query }) => {
    await checkAccess(house, request, 'read', session)
    const { stored, runs } = await readRuns(house, session, query)
    const rules = await house.viewOf(request, session)
    const { limit } = query
    return toJsonResponse(encodeHistoryView(runs, { limit, title: stored.title, rules }))
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
  errors: ['bad_request', 'not_found', 'store_unavailable'],
  handle: async (house, { request, path: { uuid: session = '' }, query }) => {
    const { before, limit } = query
    await checkAccess(house, request, 'read', session)
    const { stored, runs } = await readRuns(house, session, query)
    return Response.json(toTimesView(runs, { limit, stored, isNewest: before === undefined }))
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
  headers: { 'Last-Event-ID': 'The id of the last message that was read; wins over `cursor`.' },
  answer: {
    ...streamAnswer,
    empty: 'An `EventSource` has come back after the last message, and no run is under way.',
  },
  errors: [...streamErrors, 'not_found', 'cursor_malformed', 'cursor_ahead', 'cursor_trimmed'],
  handle: async (house, { request, path: { uuid: session = '' }, query }) => {
    const { store, runs, readers } = house
    await checkAccess(house, request, 'read', session)
    const dialect = chooseDialect(request)
    const { after, frames } = decodeCursor(
      request.headers.get('last-event-id') ?? undefined,
      query.cursor,
    )
    const open = async () => {
      await runs.revive(session)
      // Looked at before the tail is, so that a run which ends meanwhile is not cut short.
      const before = runs.active(session)
      const { info } = await findSession(store, session, after)
      checkCursor(after, info)
      const run = before ?? runs.active(session)
      const { tail } = info
      if (query.follow === '1') return { session, after, frames, tail, goal: readers.endless }
      const goal = run ?? (runs.isCarriedOn(info) ? runs.remote(session) : toFixedGoal(tail))
      return { session, after, frames, tail, goal }
    }
    const principal = await house.principal(request)
    return readers.respond(request, open, { principal, dialect })
  },
})

/** Whether a run that is stored as under way is carried on, here or by another server. */
async function isUnderWay({ runs, store }: House, session: string): Promise<boolean> {
  if (runs.active(session) !== undefined) return true
  const info = await fromStore(store.info(session))
  return info !== undefined && runs.isCarriedOn(info)
}

/** What is stored of a session and, of its runs, as many as are asked for and one more, which says that there are more. */
async function readRuns(
  { store }: House,
  session: string,
  { before, limit }: z.infer<typeof conversationsQuery>,
) {
  const { stored } = await findSession(store, session)
  const range = { limit: limit + 1, ...(before !== undefined && { before }) }
  return { stored, runs: await fromStore(store.conversations(session, range)) }
}

function toJsonResponse(json: string): Response {
  return new Response(json, { headers: { 'content-type': 'application/json' } })
}
