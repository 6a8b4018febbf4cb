import { redisMissing } from '@millrace/bench/servers'
import { cutRedis } from '../pair/cut-redis.ts'
import { openRedisPairStore, type RedisPairStore } from '../pair/redis-pair-store.ts'
import { restartStore, type RestartOptions } from '../pair/restart-store.ts'
import { withLiveRuns } from '../pair/with-live-runs.ts'
import type { Pair } from '../pair/open-pair.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const where = 'Redis, two servers'

/** What is done to a Redis with runs under way. */
type Use = (
  options: Pick<RestartOptions, 'runs' | 'runsAtOnce' | 'signal'> & {
    readonly pair: Pair<RedisPairStore>
  },
) => Promise<Finding>

/** Uses a pair on a Redis that writes its file in a certain way. */
function onRedis(options: TrialOptions, appendfsync: string, use: Use): Promise<Finding> {
  const openStore = () => openRedisPairStore({ appendonly: 'yes', appendfsync })
  return withLiveRuns({ openStore }, options, use)
}

/** Redis dies and comes back, with all that it had or with less. */
export const redisRestart: Trial = {
  name: 'redis-restart',
  summary: 'Redis killed (SIGKILL) and restarted in the middle of runs',
  run: async (options) => {
    if (redisMissing !== '') return []
    const { isShort, onProgress } = options
    const [kept, cut] = isShort ? [2, 2] : [60, 40]
    const whole = await onRedis(options, 'always', async (given) => {
      const onRestart = (count: number): void => onProgress(count, kept + cut, 'restarts')
      const lost = await restartStore({ ...given, restarts: kept, onRestart })
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
