import type { Context } from 'hono'
import { MillraceError } from '../errors/index.ts'
import type { SessionInfo } from '../store/index.ts'
import { checkCursor, decodeCursor } from './cursor.ts'
import { fromStore } from './from-store.ts'
import { toFixedGoal } from './goal.ts'
import { checkAccess, checkExtensions, checkFormat, type House } from './house.ts'
import { decodeSessionId } from './request-bodies.ts'
import { isElsewhere, sessionMissing, toStoredSession } from './run-context.ts'
import { encodeSessionView, toListView } from './session-view.ts'

/**
 * `GET /agent/{uuid}/stream`: the log from a cursor on. Ends when the run under way ends or pauses, at once
 * after the replay if there is none, never with `follow=1`.
 */
export async function getStream(house: House, { req }: Context): Promise<Response> {
  const session = await openSession(house, req.raw, req.param('session'))
  checkFormat(req.query('format'))
  checkExtensions(req.raw)
  const after = decodeCursor(req.header('last-event-id'), req.query('cursor'))
  const isFollowing = req.query('follow') === '1'
  return house.readers.respond(req.raw, async () => {
    // Looked at before the tail is, so that a run which ends meanwhile is not cut short.
    const before = house.runs.active(session)
    const info = await findSession(house, session)
    checkCursor(after, info)
    const run = before ?? house.runs.active(session)
    if (isFollowing) return { session, after, goal: house.readers.endless }
    const goal = run ?? (isElsewhere(info) ? house.runs.remote(session) : toFixedGoal(info.tail))
    return { session, after, goal }
  })
}

/** `GET /agent/{uuid}`: where a session stands, with the calls that wait for the browser. */
export async function getSession(house: House, { req }: Context): Promise<Response> {
  const session = await openSession(house, req.raw, req.param('session'))
  const before = house.runs.active(session)
  const info = await findSession(house, session)
  const stored = toStoredSession(info)
  if (stored === undefined) throw sessionMissing(session)
  // A run may end or begin while the store is asked.
  const isActive = (before ?? house.runs.active(session)) !== undefined || isElsewhere(info)
  const view = encodeSessionView(info, stored, { isActive })
  return new Response(view, { headers: { 'content-type': 'application/json' } })
}

/** `GET /agent/sessions`: the sessions, the one written to last first. */
export async function getSessions(house: House, context: Context): Promise<Response> {
  const { req } = context
  await checkAccess(house, req.raw, 'list', undefined)
  const limit = decodeCount('limit', req.query('limit'), { fallback: 50, max: 100 })
  const offset = decodeCount('offset', req.query('offset'), { fallback: 0, max: 1_000_000 })
  return context.json(toListView(await fromStore(house.store.list({ limit, offset }))))
}

async function openSession(house: House, request: Request, param = ''): Promise<string> {
  const session = decodeSessionId(param)
  await checkAccess(house, request, 'read', session)
  return session
}

async function findSession({ store }: House, session: string): Promise<SessionInfo> {
  const info = await fromStore(store.info(session))
  // A session without a record is only being made.
  if (info?.record === undefined) throw sessionMissing(session)
  return info
}

function decodeCount(
  name: string,
  text: string | undefined,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const count = text === undefined ? fallback : Number(text)
  if (Number.isInteger(count) && count >= 0 && count <= max) return count
  throw new MillraceError('bad_request', `${name} must be a whole number from 0 to ${max}.`)
}
