import { redactText, toProviderErrorTexts } from '../outbound/index.ts'
import type { RunError } from './agent-event.ts'
import type { MessageEnd, ModelFailure } from './model-event.ts'

/** A failure whose texts may leave the process. */
export interface ShownFailure extends ModelFailure {
  /** The provider's own text without its secrets, where `message` is not all of it; for the server's log alone. */
  readonly original?: string
}

/** The error that a run shows when a message of its model was cut. */
export function toRunError(agent: string, end: MessageEnd): RunError {
  const { type, message, retriable, original } = failureOf(end)
  const code = end.outcome === 'interrupted' ? 'model_interrupted' : 'model_failed'
  const error = { type, message, code, retriable, ...(original !== undefined && { original }) }
  return { type: 'run_error', agent, error }
}

/** Why a message was cut, also where nobody said so; in words that may be shown. */
export function failureOf({ failure }: MessageEnd): ShownFailure {
  const message = 'The stream of the model ended before its message did.'
  return toShownFailure(failure ?? { type: 'interrupted', message, retriable: true })
}

const plainType = /^[A-Za-z][\w .:/-]{0,63}$/

/** Makes what a provider says of its failure fit to be shown. */
export function toShownFailure({
  type,
  message,
  requestId,
  details: _,
  ...facts
}: ModelFailure): ShownFailure {
  const { shown, original } = toProviderErrorTexts(message)
  return {
    ...facts,
    type: plainType.test(type) ? redactText(type) : 'unknown_error',
    message: shown,
    ...(requestId !== undefined && { requestId }),
    ...(original !== shown && { original }),
  }
}
