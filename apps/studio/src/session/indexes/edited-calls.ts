import type { LoggedFrame } from '../frames/index.ts'

/** Edited arguments that users approved. */
export interface EditedCalls {
  readonly add: (frame: Pick<LoggedFrame, 'event'>) => void
  /** Returns the edited arguments of a call as JSON. */
  readonly argumentsOf: (callId: string) => string | undefined
}

/**
 * Creates an empty index of edited arguments. The transcript only keeps the latest stage of a call, and a result can
 * contain any text. The oldest are dropped first.
 */
export function createEditedCalls({ maxCalls = 500 } = {}): EditedCalls {
  const edited = new Map<string, string>()
  return {
    add({ event }) {
      if (event?.type !== 'tool_status' || event.stage !== 'approved' || event.detail === '') return
      edited.set(event.callId, event.detail)
      const [oldest] = edited.keys()
      if (edited.size > maxCalls && oldest !== undefined) edited.delete(oldest)
    },
    argumentsOf: (callId) => edited.get(callId),
  }
}
