import { decodeEnvelope } from '../../envelope/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
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

/** What cannot be read as a message is shown as the failure that it is. */
function takeEvent(transcript: Transcript, { data, id }: SseEvent): Transcript {
  if (data === '[DONE]') return endTranscript(transcript)
  try {
    const position = id === undefined ? undefined : Number(id)
    return reduceTranscript(transcript, decodeEnvelope(data), position)
  } catch (error) {
    if (isMillraceError(error)) return foreignError(transcript, error.message)
    throw error
  }
}
