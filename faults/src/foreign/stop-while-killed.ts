import { findViolations } from '../mill/find-violations.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readLogs } from '../mill/read-logs.ts'
import type { Stand } from '../mill/with-stand.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import type { ForeignClient } from './foreign-client.ts'
import {
  type ForeignPlace,
  playRounds,
  type Round,
  startMills,
  untilEnded,
} from './foreign-stand.ts'
import { countRuns, readStopReasons } from './read-ends.ts'

const ROUNDS = 60
const SHORT_ROUNDS = 4
/** The time of the stop after the prompt; a run takes about 300 ms. */
const MAX_DELAY_MS = 240
/** Its server is killed after this many more frames, most of which are part of the end. */
const MAX_MORE = 8
const PROMPT = 'grind'
const RETRY_MS = 100
const MAX_TRIES = 100

/** Runs are stopped twice at once while their server dies. */
export function stopWhileKilled(place: ForeignPlace, options: TrialOptions): Promise<Finding> {
  const { protocol, store, where } = place
  const total = options.isShort ? SHORT_ROUNDS : ROUNDS
  /** The sessions for which a server has acknowledged a stop. */
  const stopped = new Set<string>()
  return playRounds(place, total, options, {
    what: 'stops',
    play: (stand, index) => {
      const delayMs = ((index * 37) % total) * (MAX_DELAY_MS / total)
      const round = { store, delayMs, dieAfter: 1 + (index % MAX_MORE), stopped }
      return playRound(stand, protocol.create(PROMPT), round)
    },
    judge: async ({ address }, rounds) => {
      const logs = await readLogs(
        address,
        rounds.map(({ session }) => session),
      )
      const ends = [...logs].map(([session, log]) => ({
        log,
        isStopped: stopped.has(session),
        reason: readStopReasons(log).join(', '),
      }))
      const faults = [...rounds.flatMap((round) => round.faults), ...ends.flatMap(judgeEnd)]
      const aborted = ends.filter(({ reason }) => reason === 'aborted').length
      return {
        what: `two stops at once, kill -9 up to ${MAX_MORE} frames later, ${total} times`,
        where,
        figures: `${stopped.size} stops acknowledged, ${aborted} runs of ${total} stopped, ${faults.length} faults`,
        bound: 'every acknowledged stop took effect, 0 faults',
        faults,
      }
    },
  })
}

function judgeEnd({
  log,
  isStopped,
  reason,
}: {
  readonly log: readonly string[]
  readonly isStopped: boolean
  readonly reason: string
}): string[] {
  // A stop whose acknowledgement was lost with the server may or may not have been stored.
  const allowed = isStopped ? ['aborted'] : ['aborted', 'end_turn']
  const stopped = isStopped ? 'of which a stop was acknowledged' : 'that was asked to stop'
  return [
    ...findViolations(log),
    ...(countRuns(log) === 1 ? [] : [`${countRuns(log)} runs for one message`]),
    ...(allowed.includes(reason) ? [] : [`a run ${stopped} ended with ${reason}`]),
  ]
}

interface RoundOptions {
  readonly store: DurableStore
  readonly delayMs: number
  readonly dieAfter: number
  readonly stopped: Set<string>
}

async function playRound(
  stand: Stand,
  client: ForeignClient,
  { store, delayMs, dieAfter, stopped }: RoundOptions,
): Promise<Round> {
  const { early, dying, replace } = await startMills(stand, store)
  const asked = client.ask(dying.url).catch(() => {})
  while (client.session() === '') await rest(1)
  await rest(delayMs)
  const session = client.session()
  dying.dieAfter(dieAfter)
  const stops = await Promise.all([
    stopOnce(dying, session),
    stopOnce(early.at(-1) ?? dying, session),
  ])
  const next = await replace()
  await asked
  // A request without a response is repeated, as by a client.
  if (!stops.includes('stopped')) stops.push(await stopSurely(next, session))
  if (stops.includes('stopped')) stopped.add(session)
  const { isEnded, text } = await untilEnded(() => client.reload(next.url))
  await next.stop()
  return { session, faults: isEnded ? [] : [`a reloaded page has no end: ${text.slice(0, 200)}`] }
}

type Stopped = 'stopped' | 'nothing to stop' | 'failed'

async function stopOnce({ url }: Mill, session: string): Promise<Stopped> {
  try {
    const response = await fetch(`${url}/agent/${session}/stop`, { method: 'POST' })
    if (!response.ok) return 'failed'
    const { stopped } = (await response.json()) as { readonly stopped: boolean }
    return stopped ? 'stopped' : 'nothing to stop'
  } catch {
    return 'failed'
  }
}

async function stopSurely(mill: Mill, session: string): Promise<Stopped> {
  for (let count = 0; count < MAX_TRIES; count++) {
    const outcome = await stopOnce(mill, session)
    if (outcome !== 'failed') return outcome
    await rest(RETRY_MS)
  }
  throw new Error('A run cannot be stopped.')
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
