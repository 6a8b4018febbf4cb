import type { Finding } from '../trial.ts'
import type { FrozenInTurn } from './freeze-in-turn.ts'

/** Formats the results of freezes as a row. */
export function describeFreezes(what: string, where: string, result: FrozenInTurn): Finding {
  const {
    freezes,
    takeOvers,
    runs,
    good,
    messages,
    zombies,
    supersessions,
    billed,
    inFlight,
    noticedMs,
    takenMs,
    faults,
  } = result
  const [first, last] = takenMs.map((ms) => (ms / 1000).toFixed(1))
  const figures = [
    `${takeOvers} take-overs in ${freezes} freezes`,
    `${zombies} of ${messages} frames by superseded servers`,
    `${supersessions} taken from a running server`,
    `${billed} model calls started by superseded servers`,
    `${inFlight} in flight when frozen`,
    `${good} of ${runs} runs ended as without the fault`,
    `taken after ${first}–${last} s, detected within ${Math.ceil(noticedMs)} ms`,
  ]
  return {
    what,
    where,
    figures: figures.join(', '),
    bound:
      '0 frames by superseded servers, 0 taken from running ones, at most 1 call started for each freeze, all runs, each loss detected',
    faults,
  }
}
