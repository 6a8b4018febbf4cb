import { isMillraceError } from '../../errors/index.ts'
import type { Append, Appended, LogEntry, Store } from '../../stores/port/index.ts'
import type { TestTools } from '../test-tools.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Waits long enough for a store to do something that it must not do. */
export const pause = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Appends texts, and a head if one is given; resolves with the new tail. */
export async function append(
  store: Store,
  session: string,
  epoch: number,
  tail: number,
  lines: readonly string[],
  head?: string,
): Promise<number> {
  const encoded = lines.map((line) => encoder.encode(line))
  const bare = { session, epoch, tail, lines: encoded }
  const stored = await store.append(head === undefined ? bare : { ...bare, head })
  return stored.tail
}

/** Appends no frames, only the given changes. */
export function change(
  store: Store,
  session: string,
  changes: Omit<Append, 'session' | 'epoch' | 'tail' | 'lines'> & Partial<Append>,
): Promise<Appended> {
  return store.append({ session, epoch: 1, tail: 0, lines: [], ...changes })
}

/** Reads a log in pages. */
export async function readAll(store: Store, session: string, cursor: number, limit: number) {
  const found: LogEntry[] = []
  for (let after = cursor; ;) {
    const page = await store.read(session, after, limit)
    const last = page.at(-1)
    if (last === undefined) return found
    found.push(...page)
    after = last.id
  }
}

/** Formats entries as `id text`. */
export function texts(entries: readonly LogEntry[]): string[] {
  return entries.map(({ id, line }) => `${id} ${decoder.decode(line)}`)
}

/** Returns the names in a list of one owner, and its number of sessions. */
export const ownedBy = async (
  store: Store,
  owner: string,
  limit = 10,
  offset = 0,
): Promise<string> => {
  const { rows, total } = await store.list({ limit, offset, owner })
  return `${rows.map((row) => row.session).join(' ')} of ${total}`
}

/** Returns the owner of a session. */
export const ownerOf = async (store: Store, session: string): Promise<string | null | undefined> =>
  (await store.info(session))?.owner

/** Returns the code with which a promise fails. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'stored',
    (error: unknown) => (isMillraceError(error) ? error.code : String(error)),
  )
}

/** Checks one promise on an empty store, which is closed afterwards. */
export type StoreCheck = (store: Store, expect: TestTools['expect']) => Promise<void>
