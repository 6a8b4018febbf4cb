import { decodeEnvelope } from '../../envelope/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import type { SseEvent } from '../../sse/index.ts'
import { toView } from '../../testing/index.ts'
import {
  createTranscript,
  cutTranscript,
  endTranscript,
  foreignError,
  reduceTranscript,
  type Transcript,
} from '../../transcript/index.ts'
import { checkFedFrames } from './fed-frames.ts'

/** Checks what a person sees after a stream of messages. */
export function checkTranscript(input: JsonObject, expected: JsonObject): string[] {
  const isClosed = input['closed'] === true
  return checkFedFrames(input['data'] as readonly JsonValue[], expected, (events) => {
    const hasEnd = events.some((event) => event.data === '[DONE]')
    const transcript = events.reduce(takeEvent, createTranscript())
    return toView(isClosed && !hasEnd ? cutTranscript(transcript) : transcript)
  })
}

function takeEvent(transcript: Transcript, { data, id }: SseEvent): Transcript {
  if (data === '[DONE]') return endTranscript(transcript)
  const value: unknown = JSON.parse(data)
  const isForeign = isJsonObject(value) && !('type' in value) && 'error' in value
  if (isForeign) return foreignError(transcript, String(value['message']))
  return reduceTranscript(
    transcript,
    decodeEnvelope(data),
    id === undefined ? undefined : Number(id),
  )
}
