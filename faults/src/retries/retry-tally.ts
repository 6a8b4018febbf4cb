import { thousands } from '../measures/in-words.ts'
import type { Finding } from '../trial.ts'
import type { Mistake, MistakeKind } from './judge-shown.ts'

/** Maximum number of listed mistakes. */
const MAX_LISTED = 20

const names: Readonly<Record<MistakeKind, string>> = {
  endless: 'without an end',
  incomplete: 'incomplete',
  void: 'with void text',
  errors: 'with an error',
  others: 'agents changed by the retry of another',
}

/** The results of many runs. */
export interface RetryTally {
  runs: number
  /** Planned and actual failures of attempts. */
  planned: number
  failed: number
  rollbacks: number
  readings: number
  cuts: number
  /** Adds the defects of a run. */
  readonly add: (mistakes: readonly Mistake[], run: string) => void
  readonly counts: ReadonlyMap<MistakeKind, number>
  readonly faults: readonly string[]
}

/** Creates an empty tally. */
export function createRetryTally(): RetryTally {
  const counts = new Map<MistakeKind, number>()
  const faults: string[] = []
  const add: RetryTally['add'] = (mistakes, run) => {
    for (const { kind, text } of mistakes) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if (faults.length < MAX_LISTED) faults.push(`${run}: ${text}`)
    }
  }
  return { runs: 0, planned: 0, failed: 0, rollbacks: 0, readings: 0, cuts: 0, add, counts, faults }
}

/** Formats a tally as a row. */
export function toRetryFinding({
  where,
  seed,
  tally,
}: {
  readonly where: string
  readonly seed: number
  readonly tally: RetryTally
}): Finding {
  const { runs, planned, failed, rollbacks, readings, cuts, counts, faults } = tally
  const wrong = Object.entries(names).map(
    ([kind, name]) => `${counts.get(kind as MistakeKind) ?? 0} ${name}`,
  )
  const done = `${failed} failed attempts, ${rollbacks} rollbacks`
  return {
    what: `model calls retried in ${runs} runs with sub-agents, seed ${seed}`,
    where,
    figures: `${done}, ${thousands(readings)} readings, ${cuts} cuts: ${wrong.join(', ')}`,
    bound: '0 wrong',
    faults: [
      ...faults,
      ...(failed === planned ? [] : [`${failed} of ${planned} attempts have failed`]),
      ...(cuts === 0 || rollbacks === 0 ? ['Nothing was cut, or nothing was rolled back.'] : []),
    ],
  }
}
