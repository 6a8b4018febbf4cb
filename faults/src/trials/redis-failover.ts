import {
  type ReplicatedRedis,
  startRedisSentinels,
  startReplicatedCluster,
} from '@millrace/bench/servers'
import { openReplicatedPairStore } from '../pair/redis-pair-store.ts'
import { watchLosses } from '../pair/watch-losses.ts'
import { withLiveRuns } from '../pair/with-live-runs.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const FAIL_OVERS = 20
/** Every second time the replica has missed the writes of this many milliseconds. */
const LOSS_MS = 300

interface Kind {
  readonly title: string
  readonly start: () => Promise<ReplicatedRedis>
}

const kinds: readonly Kind[] = [
  { title: 'Redis with Sentinel', start: startRedisSentinels },
  { title: 'Redis, three masters', start: () => startReplicatedCluster(3) },
]

/** A master of Redis dies, and a replica takes over with all or less of its data. */
export const redisFailover: Trial = {
  name: 'redis-failover',
  only: 'redis',
  summary: 'a master of Redis killed (SIGKILL) in the middle of runs: Sentinel, and a cluster',
  elsewhere: 'packages/millrace/src/stores/redis/redis-failover.test.ts',
  run: async (options) => {
    const findings: Finding[] = []
    for (const kind of kinds) findings.push(await failOver(kind, options))
    return findings
  },
}

function failOver({ title, start }: Kind, options: TrialOptions): Promise<Finding> {
  const restarts = options.isShort ? 1 : FAIL_OVERS
  let count = 0
  const chooseLossMs = (): number => (count++ % 2 === 0 ? 0 : LOSS_MS)
  const openStore = () => openReplicatedPairStore(title, start, chooseLossMs)
  return withLiveRuns({ openStore }, options, async (used) => {
    const { store } = used.pair
    const result = await watchLosses({
      ...used,
      restarts,
      onRestart: (done) => options.onProgress(done, restarts, `fail-overs, ${title}`),
      prepareLoss: async () => () => store.crash(),
    })
    const { lostRuns, lostMessages, readers, notifiedReaders, renumbered } = result
    const { runs, good, faults } = used.runs.counts()
    const figures = [
      `${restarts} fail-overs, ${lostMessages} frames lost in ${lostRuns} runs`,
      `${notifiedReaders} of ${readers} continuing readers notified`,
      `${renumbered} renumbered, ${good} of the other ${runs} runs ended as without the fault`,
    ].join(', ')
    return {
      what: 'a master killed, its replica takes over',
      where: `${title}, two servers`,
      figures,
      bound: 'each loss reported, 0 renumbered',
      faults: [...result.faults, ...faults],
    }
  })
}
