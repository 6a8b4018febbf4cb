import type { Caller } from '../access/caller.ts'
import { createShare, revokeShare, type ShareLink } from '../access/shares.ts'
import type { ServerContext } from '../server-context.ts'
import { findUsedSession } from '../sessions/load-session.ts'

/** Creates the share link of a session, and revokes an earlier one. [SES-7] */
export async function shareSession(
  context: ServerContext,
  caller: Caller,
  session: string,
  seconds: number,
): Promise<ShareLink> {
  await caller.check('share', session)
  const { info } = await findUsedSession(context.store, session)
  return createShare(context, info, seconds * 1_000)
}

/** Revokes the share link of a session; false if there was none. */
export async function unshareSession(
  context: ServerContext,
  caller: Caller,
  session: string,
): Promise<boolean> {
  await caller.check('share', session)
  const { info } = await findUsedSession(context.store, session)
  return revokeShare(context, info)
}
