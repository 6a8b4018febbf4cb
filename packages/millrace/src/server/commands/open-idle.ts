import { MillraceError } from '../../errors/index.ts'
import type { Append, SessionInfo } from '../../stores/port/index.ts'
import { continueRun } from '../recovery/recover.ts'
import { isRunning, openKnown, type RunServices } from '../runs/run-services.ts'

const encoder = new TextEncoder()

/** Time between another server's opening of a session and its first append, and the interval of checks. */
const OPENING_MS = 1_000
const LOOK_MS = 10

/**
 * Opens a session as {@link openUnchanged} does, but throws `lease_lost` also if its head has the status of a run: a run
 * without a server is recovered first, or another run would replace it.
 */
export async function openIdle(
  services: RunServices,
  session: string,
  known: SessionInfo | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  if (known !== undefined && isRunning(known)) throw changed(session)
  return openUnchanged(services, session, known, owner)
}

/**
 * Opens a session for writing; throws `lease_lost` if it has changed since it was read, because a decision based on that
 * read is outdated. Accepts a run without a server, for its removal. A created session belongs to `owner`. Requires the
 * session's lock.
 */
export async function openUnchanged(
  services: RunServices,
  session: string,
  known: SessionInfo | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  if (known !== undefined && (await changesSoon(services, known))) throw changed(session)
  const info = await openKnown(services, session, known, owner)
  if (isSame(info, known)) return info
  // A server that opened it before the read has written since. If its run continues, it is now on this server.
  const { epoch, tail } = info
  if (isRunning(info)) await continueRun(services, info)
  else await services.store.append({ session, epoch, tail, lines: [], lease: 'release' })
  throw changed(session)
}

/** Appends lines and other changes to a session opened with {@link openIdle}, and releases its lease. */
export async function appendIdle(
  { store, publish, onLine }: RunServices,
  { session, log, epoch, tail }: SessionInfo,
  texts: readonly string[],
  changes: Pick<Append, 'head' | 'parts' | 'commands'>,
): Promise<void> {
  texts.forEach((line, index) => onLine?.(log, tail + 1 + index, line))
  const lines = texts.map((line) => encoder.encode(line))
  const append = { session, log, epoch, tail, lines, ...changes, lease: 'release' } as const
  await store.append(append)
  publish?.(session, tail + 1, lines, log)
}

/**
 * Waits while another server holds the lease of a session without a run: it is about to start one. Opening the session
 * now would take the run away, disconnect its readers, and call the model again. Returns whether the session has
 * changed; false if that server is gone or takes too long.
 */
async function changesSoon(services: RunServices, known: SessionInfo): Promise<boolean> {
  const { store, closed } = services
  const { session } = known
  let info: SessionInfo | undefined = known
  for (let left = OPENING_MS; left > 0 && isHeld(services, info); left -= LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (closed.aborted) return false
    info = await store.info(session)
    if (info?.epoch !== known.epoch || !isSame(info, known)) return true
    if (info.lease === undefined) return true
  }
  return false
}

/** Whether nothing was stored since a session was read. */
function isSame(info: SessionInfo, known: SessionInfo | undefined): boolean {
  return info.tail === (known?.tail ?? 0) && info.head === known?.head
}

function isHeld({ node, isGone }: RunServices, { lease }: SessionInfo): boolean {
  if (lease === undefined || lease.hasLapsed) return false
  return lease.owner !== node && !isGone(lease.owner)
}

function changed(session: string): MillraceError {
  return new MillraceError('lease_lost', `Session ${session} has changed meanwhile; try again.`)
}
