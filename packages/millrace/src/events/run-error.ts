import type { RunError } from './agent-event.ts'
import type { MessageEnd, ModelFailure } from './model-event.ts'

/** The error that a run shows when a message of its model was cut. */
export function toRunError(agent: string, end: MessageEnd): RunError {
  const { type, message, retriable } = failureOf(end)
  const code = end.outcome === 'interrupted' ? 'model_interrupted' : 'model_failed'
  return { type: 'run_error', agent, error: { type, message, code, retriable } }
}

/** Why a message was cut, also where nobody said so. */
export function failureOf({ failure }: MessageEnd): ModelFailure {
  const message = 'The stream of the model ended before its message did.'
  return failure ?? { type: 'interrupted', message, retriable: true }
}
