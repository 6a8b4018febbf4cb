import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { openRedisPairStore, type RedisPairStore } from '../pair/redis-pair-store.ts'
import { restartStore, type RestartOptions } from '../pair/restart-store.ts'
import { watchLosses } from '../pair/watch-losses.ts'
import { withLiveRuns } from '../pair/with-live-runs.ts'
import type { Pair } from '../pair/open-pair.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const where = 'Redis, two servers'

/** The operation on a Redis with active runs. */
type Use = (
  options: Pick<RestartOptions, 'runs' | 'runsAtOnce' | 'signal'> & {
    readonly pair: Pair<RedisPairStore>
  },
) => Promise<Finding>

/** Uses a pair on a Redis with certain settings of its file. */
function onRedis(options: TrialOptions, appendfsync: string, use: Use): Promise<Finding> {
  const openStore = () => openRedisPairStore({ appendonly: 'yes', appendfsync })
  return withLiveRuns({ openStore }, options, use)
}

/** Kills Redis and truncates a part of its latest writes, like a crash of the machine. */
async function prepareCut({ redis, crash }: RedisPairStore, count: number) {
  const { path, size: before } = await findAppended(redis.dir)
  return () =>
    crash(async () => {
      const { size } = await stat(path)
      const part = ((count * 37) % 100) / 100
      await truncate(path, Math.floor(before + (size - before) * part))
    })
}

/** The file to which Redis appends. */
async function findAppended(
  dir: string,
): Promise<{ readonly path: string; readonly size: number }> {
  const folder = join(dir, 'appendonlydir')
  const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof')) ?? ''
  const path = join(folder, name)
  return { path, size: (await stat(path)).size }
}

/** Redis is killed and returns, with all of its data or with less. */
export const redisRestart: Trial = {
  name: 'redis-restart',
  only: 'redis',
  summary: 'Redis killed (SIGKILL) and restarted in the middle of runs',
  run: async (options) => {
    const { isShort, onProgress } = options
    const [kept, cut] = isShort ? [2, 2] : [60, 40]
    const whole = await onRedis(options, 'always', async (given) => {
      const onRestart = (count: number): void => onProgress(count, kept + cut, 'restarts')
      const lost = await restartStore({ ...given, restarts: kept, onRestart })
      const { runs, good, messages, faults } = given.runs.counts()
      const figures = `${kept} restarts, ${lost} lost of ${messages} frames, ${good} of ${runs} runs ended as without the fault`
      const what = 'Redis killed and restarted, appendfsync always'
      const found = lost === 0 ? faults : [`${lost} frames were lost`, ...faults]
      return { what, where, figures, bound: '0 lost, 0 renumbered', faults: found }
    })
    const shortened = await onRedis(options, 'everysec', async (given) => {
      const onRestart = (count: number): void => onProgress(kept + count, kept + cut, 'restarts')
      const result = await watchLosses({
        ...given,
        restarts: cut,
        onRestart,
        prepareLoss: (count) => prepareCut(given.pair.store, count),
      })
      const { lostRuns, lostMessages, readers, notifiedReaders, renumbered } = result
      const { runs, good, faults } = given.runs.counts()
      const figures = [
        `${cut} restarts, ${lostMessages} frames lost in ${lostRuns} runs`,
        `${notifiedReaders} of ${readers} continuing readers notified (410 log_truncated)`,
        `${renumbered} renumbered, ${good} of the other ${runs} runs ended as without the fault`,
      ].join(', ')
      const what = 'the same with everysec and a truncated file'
      const bound = 'each loss reported, 0 renumbered'
      const idle = lostMessages === 0 ? ['nothing was lost, so that nothing was shown'] : []
      return { what, where, figures, bound, faults: [...idle, ...result.faults, ...faults] }
    })
    return [whole, shortened]
  },
}
