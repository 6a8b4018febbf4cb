import { allowed, measureReplay } from '@millrace/bench/serving'
import { megabytes, thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { onEachStore } from '../measures/on-each-store.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Trial } from '../trial.ts'

const MESSAGES = 1_000_000
const SECONDS = 60

/** A long log is read from its beginning. */
export const replay: Trial = {
  name: 'replay',
  summary: 'a log of 1,000,000 messages read from its beginning',
  elsewhere: 'npm run bench -- replay',
  run: (options) =>
    onEachStore(options, async (site, where) => {
      const { signal, onProgress } = options
      const measured = measureReplay(site, MESSAGES, 'compact=0', signal)
      const reporting = { onProgress, seconds: SECONDS, what: `seconds, ${where}` }
      const { arrived, seconds, cpuUs, moreBytes, health } = await reportTime(measured, reporting)
      const reading = {
        what: `${thousands(MESSAGES)} messages read from the beginning, one by one`,
        where,
        figures: `${thousands(arrived)} arrived in ${seconds.toFixed(1)} s, ${cpuUs.toFixed(1)} µs CPU each, ${megabytes(moreBytes)} more memory`,
        bound: `${megabytes(allowed.replayBytes)} more`,
        faults: [
          ...(moreBytes > allowed.replayBytes
            ? [`the server grows by ${megabytes(moreBytes)}`]
            : []),
          ...(arrived === MESSAGES ? [] : [`${arrived} of ${MESSAGES} messages arrived`]),
        ],
      }
      return [reading, judgeHealth('replay', where, health)]
    }),
}
