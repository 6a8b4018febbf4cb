import type { Trial } from './trial.ts'
import { clocks } from './trials/clocks.ts'
import { commands } from './trials/commands.ts'
import { cut } from './trials/cut.ts'
import { doubleAnswer } from './trials/double-answer.ts'
import { foreignRoutes } from './trials/foreign-routes.ts'
import { halfOpen } from './trials/half-open.ts'
import { health } from './trials/health.ts'
import { refusedRequests } from './trials/refusals.ts'
import { forks } from './trials/forks.ts'
import { freeze } from './trials/freeze.ts'
import { incarnations } from './trials/incarnations.ts'
import { replacedStores } from './trials/replaced-stores.ts'
import { postgresFaults } from './trials/postgres-faults.ts'
import { redisFailover } from './trials/redis-failover.ts'
import { redisRestart } from './trials/redis-restart.ts'
import { kill } from './trials/kill.ts'
import { killSteps } from './trials/kill-steps.ts'
import { retries } from './trials/retries.ts'
import { tornFile } from './trials/torn-file.ts'
import { fanOut } from './trials/fan-out.ts'
import { idle } from './trials/idle.ts'
import { load } from './trials/load.ts'
import { producer } from './trials/producer.ts'
import { replay } from './trials/replay.ts'
import { stalled } from './trials/stalled.ts'

/** All trials, in the order of the table. */
export const trials: readonly Trial[] = [
  kill,
  killSteps,
  cut,
  doubleAnswer,
  commands,
  foreignRoutes,
  producer,
  forks,
  retries,
  tornFile,
  freeze,
  clocks,
  redisRestart,
  redisFailover,
  postgresFaults,
  refusedRequests,
  halfOpen,
  health,
  incarnations,
  replacedStores,
  stalled,
  replay,
  load,
  fanOut,
  idle,
]
