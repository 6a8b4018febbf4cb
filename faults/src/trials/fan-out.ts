import {
  allowed,
  type HealthFigures,
  type LoadFigures,
  type SiteKind,
  watchLoad,
} from '@millrace/bench/serving'
import { judgeHealth } from '../measures/judge-health.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const ROUNDS = 3
const watch = { runs: 1, perSecond: 20, readersPerRun: 1_000, seconds: 15 }

/** One run with very many readers. */
export const fanOut: Trial = {
  name: 'fan-out',
  summary: 'one run of 20 events a second to 1,000 readers, beside a raw server',
  elsewhere: 'npm run bench -- fan-out',
  run: async (options) => {
    const best = await watchInTurns(options)
    const raw = best.get('raw')?.cpuUs ?? NaN
    return options.stores.flatMap(({ name: kind, title }) => {
      const figures = best.get(kind)
      const health = figures?.health
      return [
        toFinding(title, figures, raw, options),
        ...(health ? [judgeHealth('fan-out', title, health)] : []),
      ]
    })
  },
}

/** The minimum of several rounds, in turns, so that other load on the machine affects all of them. */
async function watchInTurns({
  stores,
  signal,
  onProgress,
}: TrialOptions): Promise<ReadonlyMap<SiteKind, LoadFigures>> {
  const best = new Map<SiteKind, LoadFigures>()
  const kinds: readonly SiteKind[] = ['raw', ...stores.map(({ name }) => name)]
  for (let round = 1; round <= ROUNDS; round++) {
    for (const kind of kinds) {
      const what = `seconds, round ${round} of ${ROUNDS}, ${kind}`
      const measured = watchLoad(kind, watch, signal)
      const figures = await reportTime(measured, { onProgress, seconds: watch.seconds, what })
      const before = best.get(kind)
      const missing = (before?.missing ?? 0) + (figures.missing ?? 0)
      const least = before === undefined || figures.cpuUs < before.cpuUs ? figures : before
      best.set(kind, { ...least, missing, health: worseHealth(before?.health, figures.health) })
    }
  }
  return best
}

/** The health of all rounds, not that of the best one. */
function worseHealth(
  one: HealthFigures | undefined,
  other: HealthFigures | undefined,
): HealthFigures | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    asked: one.asked + other.asked,
    failed: one.failed + other.failed,
    worstMs: Math.max(one.worstMs, other.worstMs),
  }
}

function toFinding(
  where: string,
  figures: LoadFigures | undefined,
  raw: number,
  { isShort }: TrialOptions,
): Finding {
  const { cpuUs = NaN, missing, p50Ms = NaN, p99Ms = NaN } = figures ?? {}
  const ratio = cpuUs / raw
  const isDear = !isShort && !(ratio <= allowed.fanOutRatio)
  const times = `${ratio.toFixed(2)} times a raw server`
  return {
    what: `1 run of ${watch.perSecond} events/s to 1,000 readers, best of ${ROUNDS}`,
    where,
    figures: `${cpuUs.toFixed(1)} µs CPU each, ${times} (${raw.toFixed(1)} µs), ${missing} missing, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    bound: `0 missing, ${allowed.fanOutRatio} times`,
    faults: [
      ...(missing === 0 ? [] : [`${missing} frames have not arrived`]),
      ...(isDear ? [times] : []),
    ],
  }
}
