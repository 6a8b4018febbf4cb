import { MillraceError } from '../../errors/index.ts'
import type { CommandChange, SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { findUsedSession, headOf } from '../sessions/load-session.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { encodeHead, type SessionHead } from '../sessions/session-record.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { findReceipt, type MessageKey, toReceipts } from './receipts.ts'
import { passCommand } from './run-command.ts'

/** Another server usually stores a title within this time; after that only the command is stored. */
const SHOWN_MS = 1_000
const LOOK_MS = 20

/**
 * Renames a session, on any server. Resolves when the title is stored, or a command for it; true for the latter. The
 * same key again has no effect. Requires the session's lock.
 */
export async function rename(
  services: RunServices,
  session: string,
  title: string,
  key?: MessageKey,
): Promise<boolean> {
  const { store, runs } = services
  const run = runs.get(session)
  if (run?.isEnding() === true) await run.over
  const { info: known, head } = await findUsedSession(store, session)
  if ((await findReceipt(store, known, key)) !== undefined) return false
  if (head === undefined)
    throw new MillraceError(
      'conflict',
      `Session ${session} has only files, and gets its title with its first prompt; rename it after that.`,
    )
  const isHere = run !== undefined && !run.isEnding()
  // Pending commands may include earlier titles. A command is its own receipt.
  if (known.pending > 0 || (!isHere && isElsewhere(known))) {
    await passCommand(services, known, { type: 'rename', title }, key)
    return true
  }
  if (isHere) await run.rename(title, toReceipts(key))
  else await renameIdle(services, { info: known, head }, title, toReceipts(key))
  return false
}

/** Stores a title with its receipts in one append; `lease_lost` if the session has changed since it was read. */
export async function renameIdle(
  services: RunServices,
  { info: known, head }: { readonly info: SessionInfo; readonly head: SessionHead },
  title: string,
  commands: readonly CommandChange[],
): Promise<void> {
  const info = await openIdle(services, known.session, known)
  const renamed = encodeHead({ ...head, title, isRenamed: true })
  await appendIdle(services, info, [], { head: renamed, commands })
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
    if (isShown(await store.info(session))) return
    await sleep(LOOK_MS, closed)
  }
}
