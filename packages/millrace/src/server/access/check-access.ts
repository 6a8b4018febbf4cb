import { HTTPException } from 'hono/http-exception'
import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import type { Action } from '../handler-options.ts'
import { checkNamedLog, namedLog } from '../requests/cursor.ts'
import { sessionMissing } from '../sessions/load-session.ts'
import type { ServerContext } from '../server-context.ts'
import { type Identity, unknownSender } from './identity.ts'
import { isShared, sharedReads } from './shares.ts'

/** Actions on a session that may not exist: it is created, or the route responds without it. */
const beforeCreation: ReadonlySet<Action> = new Set(['run', 'upload', 'read'])

/**
 * Returns the sender of a request, and throws unless it is authorized: first as the owner of the session, then by `authorize`. A session
 * that it may not see is reported as missing. [SES-6]
 */
export async function checkAccess(
  context: ServerContext,
  request: Request,
  action: Action,
  session: string | undefined,
): Promise<Identity> {
  const { store } = context
  const sender = await findSender(context, request, action, session)
  const find = async () => session && (await store.info(session))
  const needsOwner = sender.isScoped || sender.isShared === true
  const info = (needsOwner && (await find())) || undefined
  if (session !== undefined && !isReached(sender, info, action)) throw sessionMissing(session)
  const verdict = await ask(context, request, action, session, sender, info)
  if (verdict === true) {
    // Reads compare the log with the cursor later, in one request to the store.
    if (session !== undefined && action !== 'read' && namedLog(request) !== undefined)
      checkNamedLog(request, session, info ?? ((await find()) || undefined))
    return sender
  }
  if (verdict !== false) throw new HTTPException(403, { res: verdict })
  if (session !== undefined) throw sessionMissing(session)
  throw new MillraceError(
    'forbidden',
    'You are not allowed to do this; ask the operator of the server.',
  )
}

/** Checks whether a sender may read a session of a list. A share link is for one session, which is in no list. */
export async function maySee(
  context: ServerContext,
  request: Request,
  sender: Identity,
  info: Pick<SessionInfo, 'session' | 'owner'>,
): Promise<boolean> {
  if (sender.isShared === true || !isReached(sender, info, 'read')) return false
  return (await ask(context, request, 'read', info.session, sender, info)) === true
}

async function findSender(
  context: ServerContext,
  request: Request,
  action: Action,
  session: string | undefined,
): Promise<Identity> {
  // The status of a server belongs to no user.
  if (action === 'health') return unknownSender
  if (action === 'read' && session !== undefined && (await isShared(context, request, session))) {
    sharedReads.add(request)
    return { ...unknownSender, isShared: true, quotaKey: `share ${session}` }
  }
  return context.identify(request)
}

/** Checks whether the owner rule permits an action on a session. [SES-6] */
export function isReached(
  { isScoped, owner }: Identity,
  info: Pick<SessionInfo, 'owner'> | undefined,
  action: Action,
): boolean {
  if (!isScoped) return true
  return info === undefined ? beforeCreation.has(action) : info.owner === owner
}

function ask(
  { authorize }: ServerContext,
  request: Request,
  action: Action,
  session: string | undefined,
  sender: Identity,
  info: Pick<SessionInfo, 'owner'> | undefined,
) {
  const owner = info?.owner ?? sender.owner
  const access = { context: sender.context, owner, isShared: sender.isShared === true }
  return authorize(request, action, session, access)
}
