import { allowed, measureStalled } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { onEachStore } from '../measures/on-each-store.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Trial } from '../trial.ts'

/** More than the socket buffers of a machine hold. */
const MESSAGES = 200_000
const SECONDS = 15

/** Readers that connect and never read. */
export const stalled: Trial = {
  name: 'stalled',
  summary: '100 readers that never read',
  elsewhere: 'npm run bench -- replay',
  run: (options) =>
    onEachStore(options, async (site, where) => {
      const { signal, onProgress } = options
      const measured = measureStalled({ messages: MESSAGES, name: site }, signal)
      const reporting = { onProgress, seconds: SECONDS, what: `seconds, ${where}` }
      const { mostBytes, averageBytes, rssEach, health } = await reportTime(measured, reporting)
      const isTooMuch = mostBytes > allowed.heldBytes
      const memory = {
        what: `100 readers that never read a log of ${thousands(MESSAGES)} messages`,
        where,
        figures: `the most ${thousands(mostBytes)} bytes for one, on average ${thousands(averageBytes)}; the process ${thousands(rssEach)} more each`,
        bound: `${thousands(allowed.heldBytes)} bytes each`,
        faults: isTooMuch ? [`${thousands(mostBytes)} bytes wait for one reader`] : [],
      }
      return [memory, judgeHealth('stalled', where, health)]
    }),
}
