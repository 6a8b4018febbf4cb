import type { MillraceError } from '../errors/index.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { persistenceFails, storeReplaced } from './store-errors.ts'

/** Checks that Redis still holds the data that this process began with. */
export interface Identity {
  /** Throws `store_unavailable` if the last look has found other data: what is written now would be mixed with it. */
  check(): void
  /** Looks again, and rejects with what is wrong; also if Redis cannot write to its disk. */
  look(): Promise<void>
  close(): void
}

/** How often Redis is looked at; between two looks, scripts refuse to write to sessions that are gone. */
const LOOK_MS = 5_000

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

  const readId = async (): Promise<string> => {
    const id = await send('get', [keys.store])
    return Buffer.isBuffer(id) ? id.toString() : ''
  }

  const look = async (): Promise<void> => {
    if (known === undefined) await send('set', [keys.store, crypto.randomUUID(), 'NX'])
    const id = await readId()
    known ??= id
    const isNew = problem === undefined
    problem = id === known ? undefined : storeReplaced()
    if (problem !== undefined && isNew) onError(problem)
  }

  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS)
  timer.unref()

  return {
    check: () => {
      if (problem !== undefined) throw problem
    },
    look: async () => {
      await look()
      if (problem !== undefined) throw problem
      if (failures.test(String(await send('info', ['persistence'])))) throw persistenceFails()
    },
    close: () => clearInterval(timer),
  }
}
