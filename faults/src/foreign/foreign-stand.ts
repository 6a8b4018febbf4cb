import type { Mill } from '../mill/open-mill.ts'
import { type Stand, withStand } from '../mill/with-stand.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import type { ForeignProtocol, Reading } from './foreign-client.ts'

/** A protocol, and a store for its trials. */
export interface ForeignPlace {
  readonly protocol: ForeignProtocol
  readonly store: DurableStore
  readonly where: string
}

/** The result of one round. */
export interface Round {
  readonly session: string
  readonly faults: readonly string[]
}

/** The servers of a round: one dies, the other takes over. */
export interface RoundMills {
  /** The servers at the beginning: the one that dies, and, except on SQLite, another one that takes over the run. */
  readonly early: readonly Mill[]
  readonly dying: Mill
  /** Kills the first and returns the other, which on SQLite starts only now. */
  readonly replace: () => Promise<Mill>
}

/** Longer than a server may wait for the processor on a busy machine: a run whose lease is not confirmed ends. */
const LEASE_MS = 3_000
/** Number of attempts to resume: the run of a dead server is taken over when its lease has expired. */
const MAX_READS = 40
const PAUSE_MS = 250

/** Starts the servers of a round. */
export async function startMills({ startMill }: Stand, store: DurableStore): Promise<RoundMills> {
  const dying = await startMill()
  const second = store === 'sqlite' ? undefined : await startMill()
  return {
    early: second === undefined ? [dying] : [dying, second],
    dying,
    replace: async () => {
      await dying.kill()
      return second ?? startMill()
    },
  }
}

/** Executes rounds one after the other on a stand; they are judged when all have ended and the servers are gone. */
export function playRounds(
  { store, where }: ForeignPlace,
  total: number,
  { signal, onProgress }: TrialOptions,
  parts: {
    readonly what: string
    readonly play: (stand: Stand, index: number) => Promise<Round>
    readonly judge: (stand: Stand, rounds: readonly Round[]) => Promise<Finding>
  },
): Promise<Finding> {
  return withStand({ store, leaseMs: LEASE_MS }, async (stand) => {
    const rounds: Round[] = []
    while (rounds.length < total) {
      signal.throwIfAborted()
      rounds.push(await parts.play(stand, rounds.length))
      onProgress(rounds.length, total, `${parts.what}, ${where}`)
    }
    return parts.judge(stand, rounds)
  })
}

/** Reads repeatedly until the answer has ended or was refused. */
export async function untilEnded(read: () => Promise<Reading>): Promise<Reading> {
  let reading: Reading = { text: '', isEnded: false }
  for (let count = 0; count < MAX_READS && !isSettled(reading); count++) {
    if (count > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    reading = await read().catch((error: unknown) => ({ text: String(error), isEnded: false }))
  }
  return reading
}

function isSettled({ isEnded, isRefused = false }: Reading): boolean {
  return isEnded || isRefused
}

/** Returns the defects of an answer that must be complete. */
export function judgeWhole({ text, isEnded }: Reading, expected: string): string[] {
  if (!isEnded) return [`an answer has no end: ${text.slice(0, 200)}`]
  if (text === expected) return []
  return [
    `an answer has ${text.length} characters instead of ${expected.length}, or others: ${text.slice(-300)}`,
  ]
}

/** A connection that was cut may fail; one that reported its end must have the whole answer. */
export function judgeCut(
  readings: readonly PromiseSettledResult<Reading>[],
  expected: string,
): string[] {
  return readings.flatMap((reading) =>
    reading.status === 'fulfilled' && reading.value.isEnded
      ? judgeWhole(reading.value, expected)
      : [],
  )
}
