import { redactText, toProviderErrorTexts } from '../outbound/index.ts'
import type { RunError, RunFailure } from './agent-event.ts'
import type { MessageEnd, ModelFailure } from './model-event.ts'

/** A failure whose texts may leave the process. */
interface ShownFailure extends ModelFailure {
  /** The provider's original text without secrets, if `message` is not all of it; only for the server's log. */
  readonly original?: string
}

/** Creates the error event of a run whose model message was interrupted. */
export function toRunError(agent: string, end: MessageEnd): RunError {
  const { type, message, retriable, original } = failureOf(end)
  const code = end.outcome === 'interrupted' ? 'model_interrupted' : 'model_failed'
  const known = original !== undefined && { original }
  return toErrorEvent(agent, { type, message, code, retriable, ...known })
}

/** Creates the error event of a failed run. */
export function toErrorEvent(agent: string, { type: kind, ...failure }: RunFailure): RunError {
  return { type: 'error', agent, kind, ...failure }
}

/** Returns the failure that an error event reports. */
export function failureIn({
  type: _,
  agent: _agent,
  kind: type,
  ...failure
}: RunError): RunFailure {
  return { type, ...failure }
}

/** Returns the failure of a message with texts for readers, also without a text of the provider. */
export function failureOf({ failure }: MessageEnd): ShownFailure {
  const message = 'The stream of the model ended before its message did.'
  return toShownFailure(failure ?? { type: 'interrupted', message, retriable: true })
}

const plainType = /^[A-Za-z][\w .:/-]{0,63}$/

/** Cleans the texts of a provider's failure for readers. */
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
