import type { Seeded } from '../seeded.ts'

/** The agent of a plannedFault: 0 is the root, the others are its sub-agents by number. */
export const ROLES = [0, 1, 2, 3] as const

/** The kind of a failure of a model call. */
export type FaultKind = 'error' | 'cut' | 'end' | 'stall'

const kinds: readonly FaultKind[] = ['error', 'cut', 'end', 'stall']

/** A model call: its agent and its step. */
export interface ModelCall {
  readonly role: number
  readonly step: number
}

/** A fault before one event of a model call. */
export interface PlannedFault extends ModelCall {
  readonly kind: FaultKind
  readonly event: number
  /** The number of failing attempts before one succeeds. */
  readonly times: number
}

/** The events of a model call that succeeds. */
export interface CountedCall extends ModelCall {
  readonly events: number
}

/** Every kind of fault at every event of every model call. */
export function listFaults(calls: readonly CountedCall[]): readonly PlannedFault[] {
  return calls.flatMap(({ role, step, events }) =>
    Array.from({ length: events }).flatMap((_, event) =>
      kinds.map((kind) => ({ role, step, kind, event, times: 1 })),
    ),
  )
}

/** Faults of two or three agents in one run, some of them in two consecutive attempts. */
export function pickFaults(calls: readonly CountedCall[], random: Seeded): readonly PlannedFault[] {
  const count = random.below(2) + 2
  const roles = random.shuffle(ROLES).slice(0, count)
  return roles.flatMap((role) => {
    const own = calls.filter((call) => call.role === role)
    const call = own[random.below(own.length)]
    if (call === undefined) return []
    const { step, events } = call
    const kind = kinds[random.below(kinds.length)] ?? 'cut'
    return [{ role, step, kind, event: random.below(events), times: random.below(2) + 1 }]
  })
}

/** Describes the positions of faults, for reports. */
export function describeFaults(plannedFaults: readonly PlannedFault[]): string {
  if (plannedFaults.length === 0) return 'nothing'
  return plannedFaults
    .map(({ role, step, kind, event, times }) => {
      const who = role === 0 ? 'the root' : `sub-agent ${role}`
      return `${kind} at event ${event} of step ${step} of ${who}, ${times} times`
    })
    .join(' and ')
}
