import { watchLoad } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { tellTime } from '../measures/tell-time.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const ALLOWED_US = 60
const watch = { runs: 200, perSecond: 30, readersPerRun: 1, seconds: 60 }

const places = [
  { site: 'sqlite', where: 'SQLite' },
  { site: 'memory', where: 'in memory' },
] as const

/** Many runs at once, each with a reader. */
export const load: Trial = {
  name: 'load',
  summary: '200 runs of 30 events a second with a reader each, for a minute',
  elsewhere: 'npm run bench -- fan-out',
  run: async (options) => {
    const findings: Finding[] = []
    for (const place of places) findings.push(await watchPlace(place, options))
    return findings
  },
}

async function watchPlace(
  { site, where }: (typeof places)[number],
  { signal, onProgress, isShort }: TrialOptions,
): Promise<Finding> {
  const { runs, perSecond, seconds } = watch
  const measured = watchLoad(site, watch, signal)
  const telling = { onProgress, seconds, what: `seconds, ${where}` }
  const figures = await tellTime(measured, telling)
  const { missing, cpuUs, p50Ms, p99Ms } = figures
  const isDear = !isShort && !(cpuUs < ALLOWED_US)
  return {
    what: `${runs} runs of ${perSecond} events/s with a reader each, ${seconds} s`,
    where,
    figures: `${thousands(figures.perSecond)} events/s, ${missing} missing, ${cpuUs.toFixed(1)} µs CPU each, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    bound: `0 missing, under ${ALLOWED_US} µs`,
    faults: [
      ...(missing === 0 ? [] : [`${missing} messages have not arrived`]),
      ...(isDear ? [`${cpuUs.toFixed(1)} µs CPU for each event`] : []),
    ],
  }
}
