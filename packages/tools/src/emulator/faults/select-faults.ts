import type { Random } from '../random.ts'
import type { Fault } from './fault.ts'

/** Selects the faults of a request by attempt and by chance. */
export function selectFaults(
  faults: readonly Fault[],
  { attempt, random }: { readonly attempt: number; readonly random: Random },
): readonly Fault[] {
  return faults.filter(({ times = Infinity, chance = 1 }) => {
    const isChosen = random.next() < chance
    return isChosen && attempt < times
  })
}

/** Selects faults of some kinds. */
export function faultsOf<Kind extends Fault['kind']>(
  faults: readonly Fault[],
  ...kinds: readonly Kind[]
): readonly Extract<Fault, { kind: Kind }>[] {
  const chosen: ReadonlySet<string> = new Set(kinds)
  return faults.filter((fault): fault is Extract<Fault, { kind: Kind }> => chosen.has(fault.kind))
}
