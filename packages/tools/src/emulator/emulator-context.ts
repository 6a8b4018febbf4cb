import type { Attempts, EndedAnswers } from './replies/ended-answers.ts'
import type { Fault } from './faults/fault.ts'
import type { Pace } from './pace.ts'
import type { Scenario } from './replies/scenario.ts'
import type { Threads } from './replies/threads.ts'

/** State shared by all requests of an emulator. */
export interface EmulatorContext {
  readonly scenarios: readonly Scenario[]
  readonly pace: Pace | 'instant'
  readonly speed: number
  readonly faults: readonly Fault[]
  readonly maxBodyBytes: number
  readonly now: () => number
  readonly attempts: Attempts
  readonly threads: Threads
  readonly endedAnswers: EndedAnswers
}

/** Facts about a request, reported when it is answered. */
export interface RequestNotes {
  readonly model?: string
  readonly scenario?: string
  /** Kinds of the faults that were applied. */
  readonly faults?: readonly string[]
  /** Peculiarities of the request that had no effect on the answer. */
  readonly notices?: readonly string[]
}

/** One request to the emulator. */
export interface Exchange {
  readonly request: Request
  readonly requestId: string
  readonly seed: string
  readonly note: (notes: RequestNotes) => void
}
