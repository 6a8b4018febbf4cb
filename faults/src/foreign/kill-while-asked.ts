import { findViolations } from '../mill/find-violations.ts'
import { readLogs } from '../mill/read-logs.ts'
import type { Stand } from '../mill/with-stand.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import type { ForeignClient, ForeignProtocol } from './foreign-client.ts'
import {
  type ForeignPlace,
  judgeCut,
  judgeWhole,
  playRounds,
  type Round,
  startMills,
  untilEnded,
} from './foreign-stand.ts'
import { countRuns } from './read-ends.ts'

const ROUNDS = 100
const SHORT_ROUNDS = 3
/** A run stores about this many frames; each round kills its server after another number of them. */
const FRAMES = 300
/** Number of simultaneous posts of each message, like a network that retries. */
const POSTS = 3
const PROMPT = 'grind'

/** Kills servers while each message is posted several times. */
export function killWhileAsked(place: ForeignPlace, options: TrialOptions): Promise<Finding> {
  const { protocol, store, where } = place
  const total = options.isShort ? SHORT_ROUNDS : ROUNDS
  let expected: string | undefined
  return playRounds(place, total, options, {
    what: 'kills',
    play: async (stand, index) => {
      expected ??= await askUndisturbed(stand, protocol)
      const killAfter = 1 + Math.floor((index / total) * FRAMES)
      return playRound(stand, protocol.create(PROMPT), { store, killAfter, expected })
    },
    judge: async ({ address }, rounds) => {
      const logs = await readLogs(
        address,
        rounds.map(({ session }) => session),
      )
      const counts = [...logs.values()].map(countRuns)
      const faults = [
        ...rounds.flatMap((round) => round.faults),
        ...[...logs.values()].flatMap(findViolations),
        ...counts.flatMap((count) => (count === 1 ? [] : [`${count} runs for one message`])),
      ]
      return {
        what: `kill -9 at frame k, ${total} of 1…${FRAMES}; each message posted ${2 * POSTS + 1} times`,
        where,
        figures: `${counts.reduce((sum, count) => sum + count, 0)} runs for ${total} messages, ${faults.length} faults`,
        bound: `${total} runs, 0 faults`,
        faults,
      }
    },
  })
}

async function askUndisturbed(stand: Stand, protocol: ForeignProtocol): Promise<string> {
  const mill = await stand.startMill()
  const { text, isEnded } = await protocol.create(PROMPT).ask(mill.url)
  await mill.stop()
  if (!isEnded || text === '') throw new Error('A run that nothing disturbs does not end.')
  return text
}

async function playRound(
  stand: Stand,
  client: ForeignClient,
  given: { store: DurableStore; killAfter: number; expected: string },
): Promise<Round> {
  const { store, killAfter, expected } = given
  const { dying, replace } = await startMills(stand, store)
  dying.dieAfter(killAfter)
  const early = await Promise.allSettled(Array.from({ length: POSTS }, () => client.ask(dying.url)))
  const { url, stop } = await replace()
  // The message is posted again, the stream read until the answer has ended, and the message posted once more.
  const again = Array.from({ length: POSTS }, () => untilEnded(() => client.ask(url)))
  const readings = await Promise.all([...again, untilEnded(() => client.reconnect(url))])
  const last = await client.ask(url)
  await stop()
  const whole = [...readings, last].flatMap((reading) => judgeWhole(reading, expected))
  return { session: client.session(), faults: [...judgeCut(early, expected), ...whole] }
}
