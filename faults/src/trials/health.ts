import { measureStalled } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { reportTime } from '../measures/report-time.ts'
import type { Trial } from '../trial.ts'

/** More than the buffers of a connection hold, so that every reader gets data until it stalls. */
const MESSAGES = 60_000
const READERS = 600
const SHORT_READERS = 60
const SECONDS = 20

/** Health checks while very many readers connect at once and read nothing. */
export const health: Trial = {
  name: 'health',
  only: 'sqlite',
  isAlone: true,
  summary: '600 readers that come at once and never read, and /health from another process',
  run: async ({ isShort, signal, onProgress }) => {
    const readers = isShort ? SHORT_READERS : READERS
    const measured = measureStalled({ messages: MESSAGES, readers }, signal)
    const figures = await reportTime(measured, { onProgress, seconds: SECONDS, what: 'seconds' })
    const what = `${readers} readers that never read a log of ${thousands(MESSAGES)} messages`
    return [judgeHealth(what, 'SQLite', figures.health)]
  },
}
