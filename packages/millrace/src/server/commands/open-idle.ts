import { MillraceError } from '../../errors/index.ts'
import type { Append, SessionInfo } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { carryOn } from '../recovery/recover.ts'
import { isRunning, openKnown, type RunServices } from '../runs/run-services.ts'

const encoder = new TextEncoder()

/** How long another server may take from opening a session to storing what for, and how often that is looked at. */
const OPENING_MS = 1_000
const LOOK_MS = 10

/**
 * Becomes the writer of a session in which nothing ran when it was looked at. Throws `lease_lost` if anything was
 * done there since: whoever decided by that look must look again. A session that is created now belongs to `owner`. Needs the session's lock.
 */
export async function openIdle(
  services: RunServices,
  session: string,
  known: SessionInfo | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  if (known !== undefined && (await changesSoon(services, known))) throw changed(session)
  const info = await openKnown(services, session, known, owner)
  if (isSame(info, known)) return info
  // A server that had opened it before the look has written since. If its run goes on, that is now this one's.
  const { epoch, tail } = info
  if (isRunning(info)) await mapStoreErrors(carryOn(services, info))
  else
    await mapStoreErrors(
      services.store.append({ session, epoch, tail, lines: [], lease: 'release' }),
    )
  throw changed(session)
}

/** Writes lines into a session that was opened with {@link openIdle}, with what changes besides, and gives up its lease. */
export async function appendIdle(
  { store, publish, onLine }: RunServices,
  { session, log, epoch, tail }: SessionInfo,
  texts: readonly string[],
  changes: Pick<Append, 'head' | 'parts' | 'commands'>,
): Promise<void> {
  texts.forEach((line, index) => onLine?.(log, tail + 1 + index, line))
  const lines = texts.map((line) => encoder.encode(line))
  const append = { session, log, epoch, tail, lines, ...changes, lease: 'release' } as const
  await mapStoreErrors(store.append(append))
  publish?.(session, tail + 1, lines, log)
}

/**
 * Another server that holds the lease of a session in which nothing runs is about to begin something: to open it
 * now would take that away, cut those who read it, and ask the model again. Tells whether it has come to something;
 * if it takes too long, or that server is gone, nobody waits for it.
 */
async function changesSoon(services: RunServices, known: SessionInfo): Promise<boolean> {
  const { store, closed } = services
  const { session } = known
  let info: SessionInfo | undefined = known
  for (let left = OPENING_MS; left > 0 && isHeld(services, info); left -= LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (closed.aborted) return false
    info = await mapStoreErrors(store.info(session))
    if (info?.epoch !== known.epoch || !isSame(info, known)) return true
    if (info.lease === undefined) return true
  }
  return false
}

/** Whether nothing was stored since a session was looked at. */
function isSame(info: SessionInfo, known: SessionInfo | undefined): boolean {
  return info.tail === (known?.tail ?? 0) && info.head === known?.head
}

function isHeld({ node, isGone }: RunServices, { lease }: SessionInfo): boolean {
  if (lease === undefined || lease.hasLapsed) return false
  return lease.owner !== node && !isGone(lease.owner)
}

function changed(session: string): MillraceError {
  return new MillraceError('lease_lost', `Session ${session} has changed meanwhile; look again.`)
}
