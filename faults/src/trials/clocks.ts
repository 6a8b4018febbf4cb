import { describeFreezes } from '../pair/describe-freezes.ts'
import { freezeInTurn } from '../pair/freeze-in-turn.ts'
import { pairStores } from '../pair/pair-stores.ts'
import type { Finding, Trial } from '../trial.ts'

const HOUR_MS = 3_600_000
const LEASE_MS = 3_000
const SHORT_LEASE_MS = 1_500

/** The clock of one server is an hour apart from those of the other and the store. */
const shifts = [
  { shiftMs: HOUR_MS, name: 'an hour ahead' },
  { shiftMs: -HOUR_MS, name: 'an hour behind' },
] as const

/** The same as `freeze`, with different clocks. */
export const clocks: Trial = {
  name: 'clocks',
  summary: 'the same with clocks an hour apart',
  run: async (options) => {
    const { isShort, onProgress, signal } = options
    const findings: Finding[] = []
    const minTakeOvers = isShort ? 2 : 250
    // Each is frozen in turn, so that one pair covers both cases: the other clock is ahead, or behind.
    const plans = pairStores(options).flatMap((store) =>
      shifts.map((shift) => ({ ...store, ...shift })),
    )
    const tried = isShort ? plans.slice(0, 1) : plans
    for (const [index, { title, openStore, shiftMs, name }] of tried.entries()) {
      const before = index * minTakeOvers
      const result = await freezeInTurn({
        openStore,
        clockShiftsMs: [shiftMs, 0],
        leaseMs: isShort ? SHORT_LEASE_MS : LEASE_MS,
        tokensPerSecond: isShort ? 600 : 100,
        minFreezes: isShort ? 2 : 26,
        minTakeOvers,
        runsAtOnce: isShort ? 3 : 14,
        onFreeze: (done) => onProgress(before + done, minTakeOvers * tried.length, 'take-overs'),
        signal,
      })
      const what = `the same, one clock ${name}`
      findings.push(describeFreezes(what, `${title}, two servers`, result))
    }
    return findings
  },
}
