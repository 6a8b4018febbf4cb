import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Keys } from '../keys.ts'
import { layoutNewer, persistenceFails, serverTooOld, storeReplaced } from './store-errors.ts'

/** Checks that Redis still has the data from the start of this process. */
export interface Identity {
  /** Runs the first check, unless it is done. No write precedes it. Undefined if there is nothing to await. */
  begin(): Promise<void> | undefined
  /** Returns the error for writes if the last check found other data, or data of a newer version. */
  problem(): MillraceError | undefined
  /** Checks again, and rejects with the problem, including failed saves of Redis. */
  look(): Promise<void>
  close(): void
}

/** Interval of checks. Between checks, scripts refuse writes to missing sessions. */
const LOOK_MS = 5_000

/** Oldest version of Redis that supports the store's scripts. */
const OLDEST_SERVER = 7

/** Version of the keys. A version with keys that this one would misread puts its number before the store id: `3 ID`. */
const LAYOUT = 2
const layoutOf = (id: string): number => Number(/^(\d+) /.exec(id)?.[1] ?? LAYOUT)

/** Lines of `INFO persistence` that report a failing disk. */
const failures = /^(?:rdb_last_bgsave_status|aof_last_write_status|aof_last_bgrewrite_status):err/m

/**
 * Creates the identity of a store: a key with a random id, written by the first process. An emptied Redis, or another one at the same
 * address, does not have it.
 */
export function createIdentity(
  { send }: Pick<Connection, 'send'>,
  keys: Keys,
  onError: (error: unknown) => void,
): Identity {
  let known: string | undefined
  let problem: MillraceError | undefined
  let first: Promise<void> | undefined

  const readId = async (): Promise<string> => {
    const id = await send('get', [keys.store])
    return Buffer.isBuffer(id) ? id.toString() : ''
  }

  /** Throws for an unsupported Redis before any write; sets the id of a new one. */
  const provide = async (): Promise<void> => {
    const [, version = ''] =
      /^redis_version:(\S+)/m.exec(String(await send('info', ['server']))) ?? []
    if (Number.parseInt(version, 10) < OLDEST_SERVER) throw serverTooOld(version, OLDEST_SERVER)
    await send('set', [keys.store, crypto.randomUUID(), 'NX'])
  }

  const look = async (): Promise<void> => {
    try {
      if (known === undefined) await provide()
      const id = await readId()
      const layout = layoutOf(id)
      if (layout <= LAYOUT) known ??= id
      if (layout > LAYOUT) setProblem(layoutNewer(layout, LAYOUT))
      else setProblem(id === known ? undefined : storeReplaced())
    } catch (error) {
      // An unsupported Redis accepts no writes either.
      if (isMillraceError(error) && error.code === 'unsupported') setProblem(error)
      throw error
    }
  }

  const setProblem = (found: MillraceError | undefined): void => {
    if (found !== undefined && problem === undefined) onError(found)
    problem = found
  }

  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
  timer.unref()

  return {
    begin: () => {
      if (known !== undefined) return undefined
      first ??= look().finally(() => (first = undefined))
      return first
    },
    problem: () => problem,
    look: async () => {
      await look()
      if (problem !== undefined) throw problem
      if (failures.test(String(await send('info', ['persistence'])))) throw persistenceFails()
    },
    close: () => clearInterval(timer),
  }
}
