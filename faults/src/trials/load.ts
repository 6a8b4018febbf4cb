import { allowed, type LoadFigures, type SiteKind, watchLoad } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const watch = { runs: 200, perSecond: 30, readersPerRun: 1, seconds: 60 }

/** Many runs at once, each with a reader. */
export const load: Trial = {
  name: 'load',
  summary: '200 runs of 30 events a second with a reader each, for a minute',
  elsewhere: 'npm run bench -- fan-out',
  run: async (options) => {
    const raw = await watchSite('raw', 'a raw server', options)
    const findings: Finding[] = []
    for (const { name: site, title: where } of options.stores) {
      const figures = await watchSite(site, where, options)
      findings.push(judge({ site, where }, figures, raw, options))
      if (figures.health) findings.push(judgeHealth('load', where, figures.health))
    }
    return findings
  },
}

function watchSite(
  site: SiteKind,
  where: string,
  { signal, onProgress }: TrialOptions,
): Promise<LoadFigures> {
  const { seconds } = watch
  return reportTime(watchLoad(site, watch, signal), {
    onProgress,
    seconds,
    what: `seconds, ${where}`,
  })
}

function judge(
  { site, where }: { readonly site: SiteKind; readonly where: string },
  found: LoadFigures,
  raw: LoadFigures,
  { isShort }: TrialOptions,
): Finding {
  const { runs, perSecond, seconds } = watch
  const { missing, cpuUs, p50Ms, p99Ms } = found
  const ratio = cpuUs / raw.cpuUs
  const cost = `${cpuUs.toFixed(1)} µs CPU each, ${ratio.toFixed(2)} times a raw server (${raw.cpuUs.toFixed(1)} µs)`
  const most = allowed.eventUs[site === 'raw' ? 'memory' : site]
  const isDear = !isShort && !(cpuUs < most)
  return {
    what: `${runs} runs of ${perSecond} events/s with a reader each, ${seconds} s`,
    where,
    figures: `${thousands(found.perSecond)} events/s, ${missing} missing, ${cost}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    bound: `0 missing, under ${most} µs`,
    faults: [
      ...(missing === 0 ? [] : [`${missing} frames have not arrived`]),
      ...(isDear ? [cost] : []),
    ],
  }
}
