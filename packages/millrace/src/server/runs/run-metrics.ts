import type { Prompt, RunEnd } from '../../events/index.ts'
import type { RunOutcome } from './run-recorder.ts'
import type { ServerObserver } from '../server-observer.ts'
import type { StoredSession } from '../sessions/session-record.ts'

/** The data of a run for its observer. */
interface MeasuredRun {
  readonly session: string
  readonly stored: StoredSession
  readonly prompt?: Prompt | undefined
  readonly isRecovered: boolean
}

/** Reports the start and the end of one run to its observer, each once. */
export interface RunMetrics {
  /** Reports that the start is stored. */
  readonly begin: () => void
  readonly end: (event: RunEnd, outcome: RunOutcome) => void
  /** Reports that the run is over: its end is stored, or cannot be. */
  finish(outcome: { readonly isStored: boolean; readonly isHandedOver: boolean }): void
}

/** Creates the metrics of one run. */
export function createRunMetrics(
  { session, stored, prompt, isRecovered }: MeasuredRun,
  observer: Required<ServerObserver>,
  now: () => number,
): RunMetrics {
  const { agentType, runs: run } = stored
  const about = { session, agentType, run, isRecovered }
  const startedAt = now()
  let hasBegun = false
  let ended: ReturnType<typeof toEnd> | undefined

  return {
    begin: () => {
      hasBegun = true
      observer.runStarted({ ...about, ...(prompt !== undefined && { prompt }) })
    },
    end: (event, outcome) => {
      ended = toEnd(event, outcome)
    },
    finish: ({ isStored, isHandedOver }) => {
      if (!hasBegun) return
      const durationMs = Math.max(0, now() - startedAt)
      const end = isStored && ended !== undefined ? ended : toLoss(isHandedOver)
      observer.runEnded({ ...about, durationMs, ...end })
    },
  }
}

function toEnd({ stopReason, steps, usage }: RunEnd, { answer, failure }: RunOutcome) {
  return { stopReason, steps, usage, answer, ...(failure && { error: failure }) }
}

function toLoss(isHandedOver: boolean) {
  return { stopReason: isHandedOver ? 'handed_over' : 'lost' }
}
