import { readFile } from 'node:fs/promises'
import { findViolations } from '../mill/find-violations.ts'
import type { Mill } from '../mill/open-mill.ts'
import { readLogs } from '../mill/read-logs.ts'
import type { Stand } from '../mill/with-stand.ts'
import type { DurableStore } from '../stores.ts'
import type { Finding, TrialOptions } from '../trial.ts'
import type { DecidingPage, ForeignClient, Reading } from './foreign-client.ts'
import {
  type ForeignPlace,
  judgeCut,
  judgeWhole,
  playRounds,
  type Round,
  startMills,
  untilEnded,
} from './foreign-stand.ts'
import { countRuns, readStopReasons } from './read-ends.ts'

const ROUNDS = 60
const SHORT_ROUNDS = 4
/** The approximate number of frames after a decision. */
const FRAMES = 56
const PROMPT = 'order'
/** The decisions of the pages in a round, in rotation: equal ones, or both at once. */
const rounds = [
  [true, true, true, true],
  [true, false, true, false],
  [false, false, false, false],
  [false, true, false, true],
] as const

/** Several pages decide on one call at once, some with different decisions, while servers are killed. */
export function decideTwice(place: ForeignPlace, options: TrialOptions): Promise<Finding> {
  const { protocol, store, where } = place
  const total = options.isShort ? SHORT_ROUNDS : ROUNDS
  const outcomes: string[] = []
  let expected: string | undefined
  return playRounds(place, total, options, {
    what: 'decisions',
    play: async (stand, index) => {
      expected ??= await decideUndisturbed(stand, protocol.create(PROMPT))
      const killAfter = 1 + Math.floor((index / total) * FRAMES)
      const wishes = rounds[index % rounds.length] ?? []
      const round = { store, killAfter, expected, wishes, outcomes }
      return playRound(stand, protocol.create(PROMPT), round)
    },
    judge: async ({ address }, played) => {
      const logs = await readLogs(
        address,
        played.map(({ session }) => session),
      )
      const faults = [
        ...played.flatMap((round) => round.faults),
        ...[...logs.values()].flatMap(judgeLog),
      ]
      const approved = outcomes.filter((outcome) => outcome === 'approved').length
      return {
        what: `kill -9 at frame k of 1…${FRAMES} after a decision, ${total} of them; 4 pages decide at once and again, in half of the rounds against each other`,
        where,
        figures: `${outcomes.length} decisions for ${total} calls, ${approved} approved, ${faults.length} faults`,
        bound: `${total} decisions, each call run once at most and only if approved, 0 faults`,
        faults,
      }
    },
  })
}

function judgeLog(log: readonly string[]): readonly string[] {
  const reasons = readStopReasons(log).join(', ')
  return [
    ...findViolations(log),
    ...(countRuns(log) === 1 ? [] : [`${countRuns(log)} runs for one message`]),
    ...(reasons === 'awaiting_approval, end_turn' ? [] : [`a run ended with ${reasons}`]),
  ]
}

async function decideUndisturbed(stand: Stand, client: ForeignClient): Promise<string> {
  const mill = await stand.startMill()
  await untilEnded(() => client.ask(mill.url))
  const { text, isEnded } = await client.openPage(true).decide(mill.url)
  await mill.stop()
  if (!isEnded || text === '') throw new Error('A run that nothing disturbs does not end.')
  return text
}

interface RoundOptions {
  readonly store: DurableStore
  readonly killAfter: number
  readonly expected: string
  readonly wishes: readonly boolean[]
  /** Determines the decision that counts. */
  readonly outcomes: string[]
}

async function playRound(
  stand: Stand,
  client: ForeignClient,
  { store, killAfter, expected, wishes, outcomes }: RoundOptions,
): Promise<Round> {
  const { early, dying, replace } = await startMills(stand, store)
  await untilEnded(() => client.ask(dying.url))
  const pages = wishes.map((isApproving) => client.openPage(isApproving))
  dying.dieAfter(killAfter)
  const urlOf = (place: number): string => (early[place % early.length] ?? dying).url
  const cut = await Promise.allSettled(pages.map((page, place) => page.decide(urlOf(place))))
  const next = await replace()
  const again = await Promise.all(pages.map((page) => untilEnded(() => page.decide(next.url))))
  const decided = await readDecisions(next, client.session())
  await next.stop()
  outcomes.push(...decided.map(({ outcome }) => outcome))
  const faults = [
    ...judgeCut(cut, expected),
    ...judgePages(pages, again, { decided, expected }),
    ...(await judgeShipping(stand, decided)),
  ]
  return { session: client.session(), faults }
}

interface Decided {
  readonly tool_use_id: string
  readonly outcome: string
}

async function readDecisions({ url }: Mill, session: string): Promise<readonly Decided[]> {
  const response = await fetch(`${url}/agent/${session}/decisions`)
  const { decisions } = (await response.json()) as { readonly decisions: readonly Decided[] }
  return decisions
}

/** One decision counts: pages that made it have the whole answer, the others are refused. */
function judgePages(
  pages: readonly DecidingPage[],
  readings: readonly Reading[],
  { decided, expected }: { readonly decided: readonly Decided[]; readonly expected: string },
): string[] {
  const [first] = decided
  if (decided.length !== 1 || first === undefined) return [`${decided.length} decisions on a call`]
  return readings.flatMap((reading, place) => {
    const isWon = (first.outcome === 'approved') === pages[place]?.isApproving
    if (isWon) return judgeWhole(reading, expected)
    return reading.isRefused === true
      ? []
      : [`a page that decided otherwise was not refused: ${reading.text.slice(-200)}`]
  })
}

/** A call runs at most once, and only if it was approved. If a server dies during its start, the outcome is unknown. */
async function judgeShipping(
  { shippedPath }: Stand,
  [decided]: readonly Decided[],
): Promise<string[]> {
  const text = await readFile(shippedPath, 'utf8').catch(() => '')
  const times = text.split('\n').filter((id) => id === decided?.tool_use_id).length
  if (times > 1) return [`a call that was approved once has run ${times} times`]
  return times === 1 && decided?.outcome !== 'approved' ? ['a denied call has run'] : []
}
