import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../store/index.ts'
import { fromStore } from '../from-store.ts'
import { carryOn } from '../recovery/recover.ts'
import { isRunning, openKnown, type RunContext } from '../run-context.ts'

/**
 * Becomes the writer of a session in which nothing ran when it was looked at. Throws `lease_lost` if anything was
 * done there since: whoever decided by that look must look again. Needs the session's lock.
 */
export async function openIdle(
  context: RunContext,
  session: string,
  known: SessionInfo | undefined,
): Promise<SessionInfo> {
  const info = await openKnown(context, session, known)
  if (info.record?.json === known?.record?.json) return info
  // A server that had opened it before the look has written since. If its run goes on, that is now this one's.
  const { epoch, tail } = info
  if (isRunning(info)) await fromStore(carryOn(context, info))
  else await fromStore(context.store.append({ session, epoch, tail, lines: [], lease: 'release' }))
  throw new MillraceError('lease_lost', `Session ${session} has changed meanwhile; look again.`)
}
