import { allowed, measureIdle } from '@millrace/bench/serving'
import { thousands } from '../measures/in-words.ts'
import { judgeHealth } from '../measures/judge-health.ts'
import { tellTime } from '../measures/tell-time.ts'
import type { Trial } from '../trial.ts'

const SECONDS = 15

/** Readers of a run that says nothing. */
export const idle: Trial = {
  name: 'idle',
  summary: '5,000 readers of a run that says nothing',
  elsewhere: 'npm run bench -- fan-out',
  run: async ({ signal, onProgress }) => {
    const what = 'seconds'
    const telling = { onProgress, seconds: SECONDS, what }
    const { rss, heap, health } = await tellTime(measureIdle('sqlite', signal), telling)
    return [
      {
        what: '5,000 readers of a run that says nothing',
        where: 'SQLite',
        figures: `${thousands(rss)} bytes each, ${thousands(heap)} of them in the heap`,
        bound: `${thousands(allowed.idleBytes)} bytes each`,
        faults: rss <= allowed.idleBytes ? [] : [`${thousands(rss)} bytes for each`],
      },
      judgeHealth('idle', 'SQLite', health),
    ]
  },
}
