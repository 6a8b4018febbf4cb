import { isJsonObject, type JsonObject, type JsonValue, encodeSse } from 'millrace'
import { feedings } from './feedings/feedings.ts'
import type { CaseTask } from './kinds/kind-check.ts'

/** Yields tasks with payloads as SSE frames, in every feeding; the input is the rest of the case. */
export function* framedTasks(
  payloads: JsonValue | undefined,
  input: JsonObject,
): Generator<CaseTask> {
  if (!Array.isArray(payloads)) throw new Error('a case without a list of payloads in data')
  const bytes = new TextEncoder().encode(payloads.map(toFrame).join(''))
  for (const { name, cut } of feedings())
    yield { input, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
}

/** The `seq` of a case is the id of the frame. */
function toFrame(payload: JsonValue): string {
  if (typeof payload === 'string') return encodeSse({ data: payload })
  if (!isJsonObject(payload) || typeof payload['seq'] !== 'number')
    return encodeSse({ data: JSON.stringify(payload) })
  const { seq, ...message } = payload
  return encodeSse({ data: JSON.stringify(message), id: String(seq) })
}
