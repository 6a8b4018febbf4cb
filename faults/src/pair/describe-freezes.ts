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
    `${zombies} zombies in ${messages} messages`,
    `${supersessions} taken from a server awake`,
    `${billed} model calls begun by superseded servers`,
    `${inFlight} in flight when frozen`,
    `${good} of ${runs} runs ended as they would have`,
    `taken after ${first}–${last} s, noticed within ${Math.ceil(noticedMs)} ms`,
  ]
  return {
    what,
    where,
    figures: figures.join(', '),
    bound: '0 zombies, 0 awake, at most 1 call begun a freeze, all runs, each noticed',
    faults,
  }
}
