import { isMillraceError, type MillraceError } from '../../../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Keys } from '../keys.ts'
import { layoutNewer, persistenceFails, serverTooOld, storeReplaced } from './store-errors.ts'

/** Checks that Redis still holds the data that this process began with. */
export interface Identity {
  /** Looks for the first time, if nobody has: nothing is written before. Undefined if there is nothing to wait for. */
  begin(): Promise<void> | undefined
  /** The error to refuse writes with if the last look has found other data, or data of a newer version. */
  problem(): MillraceError | undefined
  /** Looks again, and rejects with what is wrong; also if Redis cannot write to its disk. */
  look(): Promise<void>
  close(): void
}

/** How often Redis is looked at; between two looks, scripts refuse to write to sessions that are gone. */
const LOOK_MS = 5_000

/** The oldest Redis whose scripts can do all that those of the store do. */
const OLDEST_SERVER = 7

/**
 * The version of the keys. A version that changes them so that this one would misread them puts its number before the id of the
 * store: `3 ID`.
 */
const LAYOUT = 2
const layoutOf = (id: string): number => Number(/^(\d+) /.exec(id)?.[1] ?? LAYOUT)

/** Lines of `INFO persistence` that tell of a disk that fails. */
const failures = /^(?:rdb_last_bgsave_status|aof_last_write_status|aof_last_bgrewrite_status):err/m

/**
 * Builds the identity of a store: a key with a random id that the first process writes, and all others find. Redis that was
 * emptied, or another one behind the same address, does not have it.
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

  /** Refuses a Redis that is too old before anything is written, and gives a new one its id. */
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
      if (layout > LAYOUT) judge(layoutNewer(layout, LAYOUT))
      else judge(id === known ? undefined : storeReplaced())
    } catch (error) {
      // What cannot be used at all takes no writes either.
      if (isMillraceError(error) && error.code === 'unsupported') judge(error)
      throw error
    }
  }

  const judge = (found: MillraceError | undefined): void => {
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
