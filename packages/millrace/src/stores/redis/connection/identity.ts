import type { MillraceError } from '../../../errors/index.ts'
import { createIdentity, type Identity, serverTooOld } from '../../remote/index.ts'
import type { Connection } from './connection.ts'
import type { Keys } from '../keys.ts'
import { layoutNewer, persistenceFails, storeReplaced } from './store-errors.ts'

/** Checks that Redis still has the data from the start of this process. */
export interface RedisIdentity extends Identity {
  /** Runs the first check, unless it is done. No write precedes it. Undefined if there is nothing to await. */
  begin(): Promise<void> | undefined
}

/** Oldest version of Redis that supports the store's scripts. */
const OLDEST_SERVER = 7

/** Version of the keys. A version with keys that this one would misread puts its number before the store id: `3 ID`. */
const LAYOUT = 2
const layoutOf = (id: string): number => Number(/^(\d+) /.exec(id)?.[1] ?? LAYOUT)

/** Lines of `INFO persistence` that report a failing disk. */
const failures = /^(?:rdb_last_bgsave_status|aof_last_write_status|aof_last_bgrewrite_status):err/m

/**
 * Creates the identity of a store: a key with a random id, written by the first process. An emptied Redis, or another one at the same
 * address, does not have it. Between checks, scripts refuse writes to missing sessions.
 */
export function createRedisIdentity(
  { send }: Pick<Connection, 'send'>,
  keys: Keys,
  onError: (error: unknown) => void,
): RedisIdentity {
  let known: string | undefined
  let first: Promise<void> | undefined

  /** Returns the problem of an unsupported Redis before any write; sets the id of a new one. */
  const provide = async (): Promise<MillraceError | undefined> => {
    const [, version = ''] =
      /^redis_version:(\S+)/m.exec(String(await send('info', ['server']))) ?? []
    if (Number.parseInt(version, 10) < OLDEST_SERVER)
      return serverTooOld('Redis', version, OLDEST_SERVER)
    await send('set', [keys.store, crypto.randomUUID(), 'NX'])
    return undefined
  }

  const identity = createIdentity(async () => {
    const problem = known === undefined ? await provide() : undefined
    if (problem !== undefined) return problem
    const stored = await send('get', [keys.store])
    const id = Buffer.isBuffer(stored) ? stored.toString() : ''
    const layout = layoutOf(id)
    if (layout > LAYOUT) return layoutNewer(layout, LAYOUT)
    known ??= id
    return id === known ? undefined : storeReplaced()
  }, onError)
  identity.start()

  return {
    ...identity,
    begin: () => {
      if (known !== undefined) return undefined
      first ??= identity.look().finally(() => (first = undefined))
      return first
    },
    look: async () => {
      await identity.look()
      if (failures.test(String(await send('info', ['persistence'])))) throw persistenceFails()
    },
  }
}
