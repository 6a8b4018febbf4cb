import { allowed, measureIdle } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { onEachStore } from '../measures/on-each-store.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Trial } from '../trial.ts'

const SECONDS = 15

/** Readers of a silent run. */
export const idle: Trial = {
  name: 'idle',
  summary: '5,000 readers of a silent run',
  elsewhere: 'npm run bench -- fan-out',
  run: (options) =>
    onEachStore(options, async (site, where) => {
      const { signal, onProgress } = options
      const reporting = { onProgress, seconds: SECONDS, what: `seconds, ${where}` }
      const { rss, heap, health } = await reportTime(measureIdle(site, signal), reporting)
      const finding = {
        what: '5,000 readers of a silent run',
        where,
        figures: `${thousands(rss)} bytes each, ${thousands(heap)} of them in the heap`,
        bound: `${thousands(allowed.idleBytes)} bytes each`,
        faults: rss <= allowed.idleBytes ? [] : [`${thousands(rss)} bytes for each`],
      }
      return [finding, judgeHealth('idle', where, health)]
    }),
}
