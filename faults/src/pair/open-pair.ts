import { type Mill, type MillOptions, openMill } from '../mill/open-mill.ts'
import { type ModelCall, openModel } from '../mill/open-model.ts'
import { type RedisServer, startRedis } from '../redis.ts'

/** A server whose words are known wherever they stand: its model says none without this mark. */
export interface MarkedMill extends Mill {
  readonly mark: string
  /** The requests that its model has received. */
  readonly modelCalls: readonly ModelCall[]
}

/** Two servers on one Redis, with all that they need. */
export interface Pair {
  readonly redis: RedisServer
  readonly mills: readonly [MarkedMill, MarkedMill]
  /** Ends everything, also what was stopped or has died. */
  close(): Promise<void>
}

/** How a pair is made. */
export interface PairOptions extends Pick<MillOptions, 'leaseMs'> {
  readonly redisSettings?: Readonly<Record<string, string>>
  readonly tokensPerSecond?: number
  /** How far the clock of each server is from that of the machine, and of Redis. */
  readonly clockShiftsMs?: readonly [number, number]
  /** Lets those go who wait for a Redis that will not come back: what ends a trial may have ended Redis before. */
  readonly signal: AbortSignal
}

/** The marks of the two servers; each is one character, which no chunking cuts. */
const MARKS = ['α', 'β'] as const

/** Leaves the marks out of a text, so that it is the same whoever has written it. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[αβ]/g, '')
}

/** The mark of the server of an epoch, counted from 0, where the two have taken over from each other. */
export function markOfEpoch(first: string, epoch: number): string | undefined {
  return epoch % 2 === 0 ? first : MARKS.find((mark) => mark !== first)
}

/** Which marks stand in a text. */
export function marksIn(text: string): string[] {
  return MARKS.filter((mark) => text.includes(mark))
}

/** Starts Redis and two servers, each with a model of its own. */
export async function openPair({
  redisSettings = {},
  tokensPerSecond = 300,
  clockShiftsMs = [0, 0],
  signal,
  ...options
}: PairOptions): Promise<Pair> {
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  const openOne = async (index: 0 | 1, store: string): Promise<MarkedMill> => {
    const mark = MARKS[index]
    const model = await openModel(tokensPerSecond, mark)
    closers.push(model.close)
    const clockShiftMs = clockShiftsMs[index]
    const mill = await openMill({ ...options, store, modelUrl: model.url, clockShiftMs })
    closers.push(mill.kill)
    return { ...mill, mark, modelCalls: model.received }
  }
  try {
    const redis = await startRedis(redisSettings)
    closers.push(redis.stop)
    const letGo = (): void => redis.admin.disconnect()
    signal.addEventListener('abort', letGo, { once: true })
    signal.throwIfAborted()
    return { redis, mills: [await openOne(0, redis.url), await openOne(1, redis.url)], close }
  } catch (error) {
    await close()
    throw error
  }
}
