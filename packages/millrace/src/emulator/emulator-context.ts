import type { Attempts } from './attempts.ts'
import type { EndedAnswers } from './ended-answers.ts'
import type { Fault } from './faults/fault.ts'
import type { Pace } from './pace.ts'
import type { Scenario } from './scenario.ts'
import type { Threads } from './threads.ts'

/** What all requests of an emulator share. */
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

/** What is told of a request once it is answered. */
export interface RequestNotes {
  readonly model?: string
  readonly scenario?: string
  /** The kinds of faults that struck. */
  readonly faults?: readonly string[]
  /** What was odd about the request and changed nothing. */
  readonly notices?: readonly string[]
}

/** One request on its way to an answer. */
export interface Exchange {
  readonly request: Request
  readonly requestId: string
  /** The seed of this one request. */
  readonly seed: string
  readonly note: (notes: RequestNotes) => void
}
