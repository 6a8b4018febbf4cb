import { MillraceError } from '../../errors/index.ts'
import type { SessionRow, Store } from '../../stores/port/index.ts'
import { headOf, loadField } from './load-session.ts'

/** A session from its store or from a list of sessions. */
type StoredPlace = Pick<SessionRow, 'session' | 'head'> & { readonly log?: string }

/** Returns the approximate bytes of a session: frames, parts and files, as the server counts them. */
export async function bytesOf(
  store: Pick<Store, 'parts'>,
  info: StoredPlace | undefined,
): Promise<number> {
  if (info === undefined) return 0
  const head = headOf(info)
  if (head !== undefined) return head.bytes ?? 0
  return Number((await loadField(store, info, 'uploaded')) ?? 0)
}

/** Throws if a session has reached its byte limit, or would exceed it with `added` bytes. */
export function checkQuota(
  session: string,
  bytes: number,
  { max, added = 0 }: { readonly max: number; readonly added?: number },
): void {
  if (bytes < max && bytes + added <= max) return
  throw new MillraceError(
    'payload_too_large',
    `Session ${session} has about ${bytes} bytes, and the limit is ${max} (limits.maxSessionBytes). Start a new session, or delete this one with DELETE /agent/${session}.`,
    { details: { max_bytes: max } },
  )
}

/** Creates a store that counts the bytes of new files. */
export function countingFiles(store: Store, count: (bytes: number) => void): Store {
  return {
    ...store,
    putFile: async (session, file) => {
      await store.putFile(session, file)
      count(file.bytes.length)
    },
  }
}
