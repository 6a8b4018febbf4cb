import { MillraceError } from '../../errors/index.ts'
import type { SessionRow, Store } from '../../stores/port/index.ts'
import { headOf, loadField } from './load-session.ts'

/** A session as its store or a list of sessions tells of it. */
type StoredPlace = Pick<SessionRow, 'session' | 'head'> & { readonly log?: string }

/** How many bytes were written to a session, about: frames, parts and files, as the server counts them. */
export async function bytesOf(
  store: Pick<Store, 'parts'>,
  info: StoredPlace | undefined,
): Promise<number> {
  if (info === undefined) return 0
  const head = headOf(info)
  if (head !== undefined) return head.bytes ?? 0
  return Number((await loadField(store, info, 'uploaded')) ?? 0)
}

/** Refuses to begin something in a session that has all the bytes it may have, or would have more with these. */
export function checkQuota(
  session: string,
  bytes: number,
  { max, added = 0 }: { readonly max: number; readonly added?: number },
): void {
  if (bytes < max && bytes + added <= max) return
  throw new MillraceError(
    'payload_too_large',
    `About ${bytes} bytes were written to session ${session}, and it may have ${max} (limits.maxSessionBytes). Start a new session, or delete this one with DELETE /agent/${session}.`,
    { details: { max_bytes: max } },
  )
}

/** Gives a store that counts the files which are put into it. */
export function countingFiles(store: Store, count: (bytes: number) => void): Store {
  return {
    ...store,
    putFile: async (session, file) => {
      await store.putFile(session, file)
      count(file.bytes.length)
    },
  }
}
