import { type RedisServer, startRedis } from '@millrace/bench/servers'
import { type Holding, type PairStore, pidOf } from './pair-store.ts'

/** A store in Redis, read around all of our own code. */
export interface RedisPairStore extends PairStore {
  readonly redis: RedisServer
}

const metaKey = (session: string): string => `millrace:{${session}}:meta`
const logKey = (session: string): string => `millrace:{${session}}:log`

/** Starts a Redis with settings such as `{ appendonly: 'yes' }`. */
export async function openRedisPairStore(
  settings: Readonly<Record<string, string>> = {},
): Promise<RedisPairStore> {
  const redis = await startRedis(settings)
  const { admin } = redis
  return {
    redis,
    title: 'Redis',
    address: redis.url,
    prepare: async () => {},
    holdings: (sessions) =>
      Promise.all(
        sessions.map(async (session) => toHolding(session, await admin.hgetall(metaKey(session)))),
      ),
    log: async (session) => {
      const meta = await admin.hgetall(metaKey(session))
      const entries = await admin.xrange(logKey(session), '-', '+')
      const lines = entries.map(([id, [, line = '']], index) => {
        if (id !== `0-${index + 1}`) throw new Error(`Message ${index + 1} has the id ${id}.`)
        return line
      })
      const holding = toHolding(session, meta)
      const begins = Array.from({ length: holding.epoch }, (_, index) =>
        Number(meta[`e:${index + 1}`]?.split(' ')[1]),
      )
      return { ...holding, begins, lines }
    },
    crash: redis.crash,
    letGo: () => admin.disconnect(),
    stop: redis.stop,
  }
}

function toHolding(session: string, meta: Readonly<Record<string, string>>): Holding {
  const { epoch, tail, holder, closed } = meta
  return {
    session,
    epoch: Number(epoch),
    tail: Number(tail),
    pid: pidOf(holder),
    isLost: closed !== undefined,
  }
}
