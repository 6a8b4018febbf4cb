import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, type ReplicatedRedis, startRedis } from '@millrace/bench/servers'
import { type Holding, type PairStore, pidOf } from './pair-store.ts'

/** A store in one Redis. */
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
  const { admin, url: address, crash, stop } = redis
  return { ...lookInto(admin), redis, title: 'Redis', address, crash, stop }
}

/** Starts servers of Redis that replace each other; a crash is a fail-over. */
export async function openReplicatedPairStore(
  title: string,
  start: () => Promise<ReplicatedRedis>,
  chooseLossMs: () => number,
): Promise<PairStore> {
  const { admin, url: address, failOver, addReplica, stop } = await start()
  const crash = async (): Promise<void> => {
    const lossMs = chooseLossMs()
    await (lossMs === 0 ? failOver() : failOver(() => sleep(lossMs)))
    await addReplica()
  }
  return { ...lookInto(admin), title, address, crash, stop }
}

/** Reads sessions without the code under test. */
function lookInto(
  admin: ReplicatedRedis['admin'],
): Pick<PairStore, 'prepare' | 'holdings' | 'log' | 'letGo'> {
  return {
    prepare: async () => {},
    holdings: (sessions) =>
      Promise.all(
        sessions.map(async (session) => toHolding(session, await admin.hgetall(metaKey(session)))),
      ),
    log: async (session) => {
      const meta = await admin.hgetall(metaKey(session))
      const entries = await admin.xrange(logKey(session), '-', '+')
      const lines = entries.map(([id, [, line = '']], index) => {
        if (id !== `0-${index + 1}`) throw new Error(`Frame ${index + 1} has the id ${id}.`)
        return line
      })
      const holding = toHolding(session, meta)
      const begins = Array.from({ length: holding.epoch }, (_, index) =>
        Number(meta[`e:${index + 1}`]?.split(' ')[1]),
      )
      return { ...holding, begins, lines }
    },
    letGo: () => admin.disconnect(),
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
