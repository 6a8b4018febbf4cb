import { isMillraceError } from '../../errors/index.ts'
import type { CommandChange, SessionInfo, Store, StoredFile } from '../../stores/port/index.ts'
import { storeUploads, type Upload } from '../files/uploads.ts'
import { checkOwner } from '../access/check-owner.ts'
import { headOf } from '../sessions/load-session.ts'
import { RECORD, recordParts } from '../sessions/record-writer.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { encodeHead } from '../sessions/session-record.ts'
import { bytesOf, checkQuota } from '../sessions/quota.ts'
import { appendIdle, openIdle } from './open-idle.ts'
import { findReceipt, type MessageKey, toReceipts } from './receipts.ts'
import { passCommand } from './run-command.ts'

/**
 * Stores files for the prompts of a session, which is created if necessary. Enforces the quotas. With a key, a repeated request stores
 * and counts nothing again. `count` adds the bytes to those of the session.
 */
export async function upload(
  services: RunServices,
  session: string,
  given: Upload,
  count: () => Promise<void>,
): Promise<readonly StoredFile[]> {
  const { store, onError } = services
  const known = await store.info(session)
  const isKnown = (await findReceipt(store, known, given.key)) !== undefined
  if (!isKnown) await makeRoom(services, session, given, known)
  // The receipt is stored with the bytes, before the files: of two requests with one key and different files only one stores them.
  if (!isKnown && given.key !== undefined) await count()
  const stored = await storeUploads(store, session, given)
  // The files are stored: a later error must not make their sender repeat them.
  if (given.key === undefined) await count().catch((error: unknown) => onError(error, { session }))
  return stored
}

/** Checks the quotas, and creates the session if there is none. */
async function makeRoom(
  { store, maxSessionBytes: max, ownerQuota }: RunServices,
  session: string,
  { files, owner }: Upload,
  known: SessionInfo | undefined,
): Promise<void> {
  const added = sizeOf(files)
  checkQuota(session, await bytesOf(store, known), { max, added })
  await ownerQuota.check((known ?? { owner }).owner, added)
  if (known === undefined) await provide(store, session, owner)
  checkOwner(await store.info(session), owner)
}

/** Creates a session of an owner if there is none. Opening it makes this server its writer, so an existing one is left as it is. */
async function provide(store: Store, session: string, owner: string | null): Promise<void> {
  try {
    await store.open(session, undefined, 0, owner)
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}

/** Adds to the bytes of a session, on any server; once for a key. Requires the session's lock. */
export async function countBytes(
  services: RunServices,
  session: string,
  bytes: number,
  key?: MessageKey,
): Promise<void> {
  const { store, runs, ownerQuota } = services
  const run = runs.get(session)
  const isHere = run !== undefined && !run.isEnding()
  if (isHere && key === undefined) return run.count(bytes)
  if (!isHere) await run?.over
  const known = await store.info(session)
  if (known === undefined || (await findReceipt(store, known, key)) !== undefined) return
  if (!isHere && !isElsewhere(known)) return countIdle(services, known, bytes, toReceipts(key))
  if (!isHere) ownerQuota.add(known.owner, bytes)
  await passCommand(services, known, { type: 'count', bytes }, key)
}

/** Adds to the bytes of a session in one append with the receipts; `lease_lost` if it has changed since it was read. */
export async function countIdle(
  services: RunServices,
  known: SessionInfo,
  bytes: number,
  commands: readonly CommandChange[],
): Promise<void> {
  const { store, ownerQuota } = services
  const total = (await bytesOf(store, known)) + bytes
  const info = await openIdle(services, known.session, known)
  const head = headOf(known)
  // A session with only uploads has no head.
  const body = String(total)
  const part = { collection: RECORD, number: recordParts.uploaded, frame: 0, body }
  const change =
    head === undefined ? { parts: [part] } : { head: encodeHead({ ...head, bytes: total }) }
  await appendIdle(services, info, [], { ...change, commands })
  ownerQuota.add(known.owner, bytes)
}

/** Returns the bytes of files. */
export function sizeOf(files: readonly { readonly bytes: Uint8Array }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
