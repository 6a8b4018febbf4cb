import { isMillraceError } from '../../errors/index.ts'
import type { Store, StoredFile } from '../../stores/port/index.ts'
import type { SentFile } from '../files/check-files.ts'
import { storeUploads } from '../files/uploads.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { headOf } from '../sessions/load-session.ts'
import { RECORD, recordParts } from '../sessions/record-writer.ts'
import { isElsewhere, type RunServices } from '../runs/run-services.ts'
import { encodeHead } from '../sessions/session-record.ts'
import { bytesOf, checkQuota } from '../sessions/session-quota.ts'
import { openIdle } from './open-idle.ts'
import { passCommand } from './run-command.ts'

/** Stores files for the prompts of a session, which is created for `owner` if necessary. Enforces the quotas. */
export async function upload(
  { store, maxSessionBytes: max, ownerQuota }: RunServices,
  session: string,
  files: readonly SentFile[],
  owner: string | null,
): Promise<readonly StoredFile[]> {
  const known = await mapStoreErrors(store.info(session))
  const added = sizeOf(files)
  checkQuota(session, await bytesOf(store, known), { max, added })
  await ownerQuota.check((known ?? { owner }).owner, added)
  if (known === undefined) await provide(store, session, owner)
  return storeUploads(store, session, files)
}

/** Creates a session of an owner if there is none. Opening it makes this server its writer, so an existing one is left as it is. */
async function provide(store: Store, session: string, owner: string | null): Promise<void> {
  try {
    await mapStoreErrors(store.open(session, undefined, 0, owner))
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'lease_lost') throw error
  }
}

/** Adds to the bytes of a session, on any server. Requires the session's lock. */
export async function countBytes(
  services: RunServices,
  session: string,
  bytes: number,
): Promise<void> {
  const { store, runs, ownerQuota } = services
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) return mapStoreErrors(run.count(bytes))
  await run?.over
  const known = await mapStoreErrors(store.info(session))
  if (known === undefined) return
  ownerQuota.add(known.owner, bytes)
  if (isElsewhere(known)) return void (await passCommand(services, known, { type: 'count', bytes }))
  const total = (await bytesOf(store, known)) + bytes
  const { epoch, tail, log } = await openIdle(services, session, known)
  const head = headOf(known)
  // A session with only uploads has no head.
  const body = String(total)
  const part = { collection: RECORD, number: recordParts.uploaded, frame: 0, body }
  const change =
    head === undefined ? { parts: [part] } : { head: encodeHead({ ...head, bytes: total }) }
  const place = { session, log, epoch, tail, lines: [], lease: 'release' } as const
  await mapStoreErrors(store.append({ ...place, ...change }))
}

/** Returns the bytes of files. */
export function sizeOf(files: readonly { readonly bytes: Uint8Array }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
