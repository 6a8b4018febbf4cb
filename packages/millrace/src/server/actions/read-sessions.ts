import type { SessionInfo } from '../../stores/port/index.ts'
import type { Caller } from '../access/caller.ts'
import { readQueue } from '../commands/queue.ts'
import { isRunning } from '../runs/run-services.ts'
import type { ServerContext } from '../server-context.ts'
import { findUsedSession, loadPending } from '../sessions/load-session.ts'
import { encodeSessionView, toListView } from '../sessions/session-view.ts'

/** The page of a list. */
interface ListRange {
  readonly limit: number
  readonly offset: number
}

/** Lists the sessions that a caller may see, most recently written first, and recovers lost runs among them. */
export async function listSessions(context: ServerContext, caller: Caller, range: ListRange) {
  const sender = await caller.check('list', undefined)
  const owned = sender.isScoped && sender.owner !== null && { owner: sender.owner }
  const { rows, total } = await context.store.list({ ...range, ...owned })
  const seen = await Promise.all(rows.map((row) => caller.maySee(sender, row)))
  const page = { rows: rows.filter((_, index) => seen[index]), total }
  const isServed = (session: string) => isUnderWay(context, session)
  const view = await toListView(page, { rulesOf: caller.viewOf, isServed })
  const running = view.sessions.filter(({ status }) => status === 'running')
  // Not awaited: each recovery may take long.
  void recoverEach(
    context,
    running.map(({ agent_uuid: session }) => session),
  )
  return view
}

/** The state of a session as JSON, and the session as it was read. */
interface EncodedState {
  readonly info: SessionInfo
  readonly json: string
}

/** Reads the state of a session, with its pending calls and its queue. */
export async function readSessionState(
  context: ServerContext,
  caller: Caller,
  session: string,
): Promise<EncodedState> {
  await caller.check('read', session)
  const before = context.runs.active(session)
  const find = () => findUsedSession(context.store, session, { log: caller.log })
  const found = await find()
  const mayBeLost = isRunning(found.info) && before === undefined
  if (mayBeLost) await context.runs.tryRecover(session)
  const { info, head } = mayBeLost ? await find() : found
  // A run may end or start while the store is read.
  const isActive =
    (before ?? context.runs.active(session)) !== undefined || context.runs.isServed(info)
  const rules = await caller.viewOf(session)
  const pending = await loadPending(context.store, info, head)
  const queue = await readQueue(context.store, info)
  return { info, json: encodeSessionView(info, head, { isActive, pending, queue, rules }) }
}

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
