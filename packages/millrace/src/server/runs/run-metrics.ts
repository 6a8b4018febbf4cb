import type { Prompt, RunEnd } from '../../events/index.ts'
import type { RunOutcome } from './run-recorder.ts'
import type { ServerObserver } from '../server-observer.ts'
import type { StoredSession } from '../sessions/session-record.ts'

/** A run as its observer is told of it. */
export interface MeasuredRun {
  readonly session: string
  readonly stored: StoredSession
  readonly prompt?: Prompt | undefined
  readonly isRecovered: boolean
}

/** Follows one run and tells its observer of the beginning and the end, each once. */
export interface RunMetrics {
  /** Its beginning is stored. */
  readonly begin: () => void
  /** Its end is known. */
  readonly end: (event: RunEnd, outcome: RunOutcome) => void
  /** It is over: its end is stored, or cannot be. */
  finish(outcome: { readonly isStored: boolean; readonly isHandedOver: boolean }): void
}

/** Builds the watch of one run. */
export function createRunMetrics(
  { session, stored, prompt, isRecovered }: MeasuredRun,
  observer: Required<ServerObserver>,
  now: () => number,
): RunMetrics {
  const { agentType, runs: run } = stored
  const about = { session, agentType, run, isRecovered }
  const startedAt = now()
  let hasBegun = false
  let told: ReturnType<typeof toEnd> | undefined

  return {
    begin: () => {
      hasBegun = true
      observer.runStarted({ ...about, ...(prompt !== undefined && { prompt }) })
    },
    end: (event, outcome) => {
      told = toEnd(event, outcome)
    },
    finish: ({ isStored, isHandedOver }) => {
      if (!hasBegun) return
      const durationMs = Math.max(0, now() - startedAt)
      const end = isStored && told !== undefined ? told : toLoss(isHandedOver)
      observer.runEnded({ ...about, durationMs, ...end })
    },
  }
}

function toEnd({ stopReason, steps, usage }: RunEnd, { answer, failure }: RunOutcome) {
  return { stopReason, steps, usage, answer, ...(failure && { error: failure.error }) }
}

function toLoss(isHandedOver: boolean) {
  return { stopReason: isHandedOver ? 'handed_over' : 'lost' }
}
