import { describeFreezes } from '../pair/describe-freezes.ts'
import { freezeInTurn } from '../pair/freeze-in-turn.ts'
import { pairStores } from '../pair/pair-stores.ts'
import type { Finding, Trial } from '../trial.ts'

/** Longer than a server may wait for the processor on a busy machine, so that only frozen servers lose their leases. */
const LEASE_MS = 3_000
const SHORT_LEASE_MS = 1_500

/** The owner of runs is frozen for longer than its lease, and resumes when another has taken over. */
export const freeze: Trial = {
  name: 'freeze',
  summary: 'owners stopped (SIGSTOP) past their leases, and continued',
  run: async (options) => {
    const { isShort, onProgress, signal } = options
    const findings: Finding[] = []
    const minTakeOvers = isShort ? 4 : 500
    const places = pairStores(options).flatMap((store) =>
      (isShort ? ([2] as const) : ([2, 3] as const)).map((servers) => ({ ...store, servers })),
    )
    for (const { title, openStore, servers } of places) {
      const where = `${title}, ${servers === 2 ? 'two' : 'three'} servers`
      const result = await freezeInTurn({
        openStore,
        servers,
        leaseMs: isShort ? SHORT_LEASE_MS : LEASE_MS,
        tokensPerSecond: isShort ? 600 : 100,
        minFreezes: isShort ? 2 : 60,
        minTakeOvers,
        runsAtOnce: isShort ? 4 : 14,
        onFreeze: (done, freezes) =>
          onProgress(done, minTakeOvers, `take-overs on ${where}, ${freezes} freezes`),
        signal,
      })
      findings.push(describeFreezes('owner stopped past its lease and continued', where, result))
    }
    return findings
  },
}
