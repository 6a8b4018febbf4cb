import type { Trial } from './trial.ts'
import { clocks } from './trials/clocks.ts'
import { cut } from './trials/cut.ts'
import { doubleAnswer } from './trials/double-answer.ts'
import { freeze } from './trials/freeze.ts'
import { redisRestart } from './trials/redis-restart.ts'
import { kill } from './trials/kill.ts'
import { killSteps } from './trials/kill-steps.ts'
import { tornFile } from './trials/torn-file.ts'
import { fanOut } from './trials/fan-out.ts'
import { idle } from './trials/idle.ts'
import { load } from './trials/load.ts'
import { replay } from './trials/replay.ts'
import { stalled } from './trials/stalled.ts'

/** All trials, in the order of the table. */
export const trials: readonly Trial[] = [
  kill,
  killSteps,
  cut,
  doubleAnswer,
  tornFile,
  freeze,
  clocks,
  redisRestart,
  stalled,
  replay,
  load,
  fanOut,
  idle,
]
