import type { RedisServer } from '../redis.ts'

/** Who holds a session, as Redis itself says. */
export interface Holding {
  readonly session: string
  readonly epoch: number
  readonly tail: number
  /** The process that holds the lease; undefined if nobody does. */
  readonly pid: number | undefined
  /** Whether the session is closed because something of it was lost. */
  readonly isLost: boolean
}

/** A session as it stands in Redis, read around all of our own code. */
export interface StoredLog extends Holding {
  /** After which message each epoch began, the first first. */
  readonly begins: readonly number[]
  /** The messages from 1 on. */
  readonly lines: readonly string[]
}

const metaKey = (session: string): string => `millrace:{${session}}:meta`
const logKey = (session: string): string => `millrace:{${session}}:log`

/** Asks Redis who holds each of several sessions. */
export function readHoldings(
  redis: RedisServer,
  sessions: readonly string[],
): Promise<readonly Holding[]> {
  return Promise.all(
    sessions.map(async (session) =>
      toHolding(session, await redis.admin.hgetall(metaKey(session))),
    ),
  )
}

/** Reads a session from Redis; throws if an id is not the next one. */
export async function readStoredLog(redis: RedisServer, session: string): Promise<StoredLog> {
  const meta = await redis.admin.hgetall(metaKey(session))
  const entries = await redis.admin.xrange(logKey(session), '-', '+')
  const lines = entries.map(([id, [, line = '']], index) => {
    if (id !== `0-${index + 1}`) throw new Error(`Message ${index + 1} has the id ${id}.`)
    return line
  })
  const holding = toHolding(session, meta)
  const begins = Array.from({ length: holding.epoch }, (_, index) =>
    Number(meta[`e:${index + 1}`]?.split(' ')[1]),
  )
  return { ...holding, begins, lines }
}

function toHolding(session: string, meta: Readonly<Record<string, string>>): Holding {
  const { epoch, tail, holder, closed } = meta
  return {
    session,
    epoch: Number(epoch),
    tail: Number(tail),
    // host:pid:startTime
    pid: holder === undefined ? undefined : Number(holder.split(':').at(-2)),
    isLost: closed !== undefined,
  }
}
