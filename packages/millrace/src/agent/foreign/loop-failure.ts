import { toShownFailure } from '../../events/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { LoopEvent } from './loop-event.ts'

type Failure = Extract<LoopEvent, { readonly type: 'error' }>

/** Creates the event of an error that a library reports as part of its stream. */
export function toFailure(error: unknown): Failure {
  const { name, message, isRetryable } = isRecord(error) ? error : {}
  const said = error instanceof Error ? error.message : (message ?? error)
  const shown = toShownFailure({
    type: typeof name === 'string' ? name : 'model_error',
    message: typeof said === 'string' ? said : (JSON.stringify(said) ?? ''),
    retriable: isRetryable === true,
  })
  const { type: kind, message: text, retriable } = shown
  return { type: 'error', message: text, kind, code: 'model_failed', retriable }
}

/** Creates the event of an error that a model API has returned; undefined for other errors, whose texts are not for readers. */
function toModelFailure(error: unknown): Failure | undefined {
  const { status } = isRecord(error) ? error : {}
  if (typeof status !== 'number') return undefined
  return { ...toFailure(error), retriable: status === 429 || status >= 500 }
}

/** Checks the name of an error of a library, which is the name of its class. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && (error.name === name || error.constructor.name === name)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value)
}

/** Reads the events of a loop until it ends or fails. `limit` is the name of its error for too many steps, which ends the run. */
export async function* readLoop(
  events: AsyncIterable<LoopEvent>,
  limit: string,
): AsyncGenerator<LoopEvent, 'failed' | 'ended'> {
  try {
    for await (const event of events) yield event
  } catch (error) {
    const failure = toModelFailure(error)
    if (failure !== undefined) {
      yield failure
      return 'failed'
    }
    if (!isNamed(error, limit)) throw error
    yield { type: 'end', stopReason: 'max_steps' }
  }
  return 'ended'
}
