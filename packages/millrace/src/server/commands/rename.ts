import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from '../sessions/load-session.ts'
import { findUsedSession } from '../sessions/find-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { encodeHead } from '../sessions/session-record.ts'
import { openIdle } from './open-idle.ts'
import { findReceipt, type MessageKey, toReceipts } from './receipts.ts'
import { passCommand } from './run-command.ts'

/** Another server usually stores a title within this time; after that only the command is stored. */
const SHOWN_MS = 1_000
const LOOK_MS = 20

/**
 * Renames a session, on any server. Resolves when the title is stored, or a command to the active run;
 * true for the latter. The same key again has no effect. Requires the session's lock.
 */
export async function rename(
  services: RunServices,
  session: string,
  title: string,
  key?: MessageKey,
): Promise<boolean> {
  const { store, runs } = services
  const run = runs.get(session)
  const isHere = run !== undefined && !run.isEnding()
  if (isHere && key === undefined) {
    await mapStoreErrors(run.rename(title))
    return false
  }
  if (!isHere) await run?.over
  const { info: known, head } = await findUsedSession(store, session)
  if ((await findReceipt(store, known, key)) !== undefined) return false
  if (head === undefined) throw notPrompted(session)
  // A command is its own receipt.
  if (isHere || isElsewhere(known)) {
    await passCommand(services, known, { type: 'rename', title }, key)
    return true
  }
  const { epoch, tail, log } = await openIdle(services, session, known)
  const renamed = encodeHead({ ...head, title, isRenamed: true })
  const append = { session, log, epoch, tail, lines: [], head: renamed } as const
  await mapStoreErrors(store.append({ ...append, commands: toReceipts(key), lease: 'release' }))
  return false
}

function notPrompted(session: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Session ${session} has only files, and gets its title with its first prompt; rename it after that.`,
  )
}

/** Waits briefly until a title that another server stores can be read. */
export async function untilShown(
  { store, closed }: RunServices,
  session: string,
  title: string,
): Promise<void> {
  const isShown = (info: SessionInfo | undefined): boolean =>
    (headOf(info)?.title ?? title) === title
  for (let waited = 0; waited < SHOWN_MS && !closed.aborted; waited += LOOK_MS) {
    if (isShown(await mapStoreErrors(store.info(session)))) return
    await sleep(LOOK_MS, closed)
  }
}
