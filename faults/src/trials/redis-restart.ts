import { cutRedis } from '../pair/cut-redis.ts'
import { createLiveRuns } from '../pair/live-runs.ts'
import { openPair, type PairOptions } from '../pair/open-pair.ts'
import { restartRedis, type RestartOptions } from '../pair/restart-redis.ts'
import { hasRedis } from '../mill/with-stand.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const where = 'Redis, two servers'
/** Longer than a restart takes: nobody has to be superseded. */
const LEASE_MS = 10_000

/** Opens a pair on a Redis that writes its file in a certain way, for as long as it is used. */
async function onRedis(
  { isShort, signal: outer }: TrialOptions,
  appendfsync: string,
  use: (
    options: Pick<RestartOptions, 'pair' | 'runs' | 'runsAtOnce' | 'signal'>,
  ) => Promise<Finding>,
): Promise<Finding> {
  const ending = new AbortController()
  const signal = AbortSignal.any([outer, ending.signal])
  const redisSettings: PairOptions['redisSettings'] = { appendonly: 'yes', appendfsync }
  const tokensPerSecond = isShort ? 600 : 150
  const pair = await openPair({ leaseMs: LEASE_MS, redisSettings, tokensPerSecond, signal })
  try {
    const runs = await createLiveRuns(pair, signal)
    return await use({ pair, runs, runsAtOnce: isShort ? 4 : 10, signal })
  } finally {
    ending.abort(new Error('The trial is over.'))
    await pair.close()
  }
}

/** Redis dies and comes back, with all that it had or with less. */
export const redisRestart: Trial = {
  name: 'redis-restart',
  summary: 'Redis killed (SIGKILL) and restarted in the middle of runs',
  run: async (options) => {
    if (!hasRedis) return []
    const { isShort, onProgress } = options
    const [kept, cut] = isShort ? [2, 2] : [60, 40]
    const whole = await onRedis(options, 'always', async (given) => {
      const onRestart = (count: number): void => onProgress(count, kept + cut, 'restarts')
      const lost = await restartRedis({ ...given, restarts: kept, onRestart })
      const { runs, good, messages, faults } = given.runs.counts()
      const figures = `${kept} restarts, ${lost} lost of ${messages} messages, ${good} of ${runs} runs ended as they would have`
      const what = 'Redis killed and restarted, appendfsync always'
      const found = lost === 0 ? faults : [`${lost} messages were lost`, ...faults]
      return { what, where, figures, bound: '0 lost, 0 renumbered', faults: found }
    })
    const shortened = await onRedis(options, 'everysec', async (given) => {
      const onRestart = (count: number): void => onProgress(kept + count, kept + cut, 'restarts')
      const result = await cutRedis({ ...given, restarts: cut, onRestart })
      const { lostRuns, lostMessages, readers, toldReaders, renumbered } = result
      const { runs, good, faults } = given.runs.counts()
      const figures = [
        `${cut} restarts, ${lostMessages} messages lost in ${lostRuns} runs`,
        `${toldReaders} of ${readers} who read on told (410 log_truncated)`,
        `${renumbered} renumbered, ${good} of the other ${runs} runs ended as they would have`,
      ].join(', ')
      const what = 'the same with everysec, the end of its file cut off'
      const bound = 'each loss told, 0 renumbered'
      return { what, where, figures, bound, faults: [...result.faults, ...faults] }
    })
    return [whole, shortened]
  },
}
