import type { JsonValue } from '../../json/index.ts'
import { isJsonObject } from '../../json/index.ts'
import { createSseDecoder, encodeSse, type SseEvent } from '../../sse/index.ts'
import { differences } from './differences.ts'
import { feedings } from './feedings.ts'

/** Sends payloads through SSE frames in every way of cutting them, and compares what each way gives. */
export function checkFedFrames(
  payloads: readonly JsonValue[],
  expected: unknown,
  read: (events: readonly SseEvent[]) => unknown,
): string[] {
  const bytes = new TextEncoder().encode(payloads.map(toFrame).join(''))
  return feedings().flatMap((feeding) =>
    differences(expected, read(decodeFrames(feeding.cut(bytes)))).map(
      (line) => `[${feeding.name}] ${line}`,
    ),
  )
}

/** `seq` of a case stands for the id of the frame. */
function toFrame(payload: JsonValue): string {
  if (typeof payload === 'string') return encodeSse({ data: payload })
  if (!isJsonObject(payload) || typeof payload['seq'] !== 'number')
    return encodeSse({ data: JSON.stringify(payload) })
  const { seq, ...message } = payload
  return encodeSse({ data: JSON.stringify(message), id: String(seq) })
}

function decodeFrames(pieces: Iterable<Uint8Array>): readonly SseEvent[] {
  const events: SseEvent[] = []
  const decoder = createSseDecoder({ onEvent: (event) => events.push(event) })
  for (const piece of pieces) decoder.feed(piece)
  return events
}
