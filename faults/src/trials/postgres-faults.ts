import { openPostgresPairStore } from '../pair/postgres-pair-store.ts'
import type { PostgresFaults } from '../pair/postgres-proxy.ts'
import { restartStore } from '../pair/restart-store.ts'
import { rest } from '../pair/until.ts'
import { withLiveRuns } from '../pair/with-live-runs.ts'
import { chooseSeed, createSeeded } from '../seeded.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const RESTARTS = 60
const RUNS = 150
const SHORT_RUNS = 6
const REST_MS = 100
/** One of this many statements is cut. */
const CUT_EVERY = 40
const cuts = ['before it is sent', 'after it is sent', 'in its answer'] as const
const bound = '0 lost, 0 duplicated, 0 changed, all runs'

/** A repeated failure of Postgres for its servers. */
interface Failing {
  readonly what: string
  readonly servers: 2 | 3
  /** Creates the faults; each of them is counted. */
  readonly createFaults: (count: () => void) => PostgresFaults
}

const dropAll: Failing['createFaults'] = (count) => ({
  dropsNotification: () => {
    count()
    return true
  },
})

/** Servers receive their own test notifications, and therefore expect that they receive all. */
const dropButPulses: Failing['createFaults'] = (count) => ({
  dropsNotification: (payload) => {
    const isDropped = !payload.includes('"pulse"')
    if (isDropped) count()
    return isDropped
  },
})

const cutStatements: Failing['createFaults'] = (count) => {
  const random = createSeeded(chooseSeed())
  return {
    chooseCut: () => {
      if (random.below(CUT_EVERY) > 0) return undefined
      count()
      return cuts[random.below(cuts.length)]
    },
  }
}

const failings: readonly Failing[] = [
  { what: 'every notification dropped', servers: 2, createFaults: dropAll },
  { what: 'every notification but pulses dropped', servers: 3, createFaults: dropButPulses },
  { what: 'connections cut at random statements', servers: 2, createFaults: cutStatements },
  { what: 'connections cut at random statements', servers: 3, createFaults: cutStatements },
  { what: 'every notification dropped', servers: 3, createFaults: dropAll },
]

/**
 * Postgres ends at once and returns, loses notifications, and loses connections in the middle of
 * statements.
 */
export const postgresFaults: Trial = {
  name: 'postgres-faults',
  only: 'postgres',
  summary: 'Postgres ended (immediate) and restarted, notifications dropped, connections cut',
  elsewhere: 'packages/millrace/src/stores/postgres/postgres-faults.test.ts',
  run: async (options) => {
    const findings = [await restart(options, 2)]
    if (!options.isShort) findings.push(await restart(options, 3))
    for (const failing of options.isShort ? failings.slice(1, 3) : failings)
      findings.push(await fail(failing, options))
    return findings
  },
}

function restart(options: TrialOptions, servers: 2 | 3): Promise<Finding> {
  const restarts = options.isShort ? 2 : RESTARTS
  const openStore = () => openPostgresPairStore()
  return withLiveRuns({ openStore, servers }, options, async (used) => {
    const onRestart = (count: number): void => options.onProgress(count, restarts, 'restarts')
    const lost = await restartStore({ ...used, restarts, onRestart })
    const { runs, good, messages, faults } = used.runs.counts()
    return {
      what: 'Postgres ended (immediate) and restarted',
      where: nameOf(servers),
      figures: `${restarts} restarts, ${lost} lost of ${messages} frames, ${good} of ${runs} runs ended as without the fault`,
      bound,
      faults: lost === 0 ? faults : [`${lost} frames were lost`, ...faults],
    }
  })
}

function nameOf(servers: 2 | 3): string {
  return `Postgres, ${servers === 2 ? 'two' : 'three'} servers`
}

function fail({ what, servers, createFaults }: Failing, options: TrialOptions): Promise<Finding> {
  const total = options.isShort ? SHORT_RUNS : RUNS
  let isOn = false
  let count = 0
  const { dropsNotification, chooseCut } = createFaults(() => count++)
  // Servers start, and the first run has no faults.
  const openStore = () =>
    openPostgresPairStore({
      ...(dropsNotification && { dropsNotification: (text) => isOn && dropsNotification(text) }),
      ...(chooseCut && { chooseCut: () => (isOn ? chooseCut() : undefined) }),
    })
  return withLiveRuns({ openStore, servers }, options, async ({ runs, runsAtOnce, signal }) => {
    isOn = true
    while (runs.counts().runs + runs.all.size < total) {
      await runs.beginUpTo(Math.min(runsAtOnce, total - runs.counts().runs))
      await rest(REST_MS, signal)
      await runs.audit()
      options.onProgress(runs.counts().runs, total, `runs, ${what}`)
    }
    await runs.finish()
    const { runs: done, good, messages, faults } = runs.counts()
    return {
      what,
      where: nameOf(servers),
      figures: `${count} times, ${messages} frames to ${servers} readers each, ${good} of ${done} runs ended as without the fault`,
      bound,
      faults: count > 0 ? faults : ['nothing was done to it', ...faults],
    }
  })
}
