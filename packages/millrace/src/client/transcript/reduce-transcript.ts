import type { Envelope } from '../../envelope/index.ts'
import { draftTranscript } from './reduce/draft.ts'
import { takeMessage } from './reduce/take-message.ts'
import type { Transcript } from './transcript.ts'

/**
 * Takes one message in, and gives a new transcript that shares all that the message did not touch, or the same
 * one if there was nothing to take in. The cost does not depend on what came before. With an `id`, a message
 * that was seen is left out, and one after a hole is not taken in but leaves its mark. [LOG-3] [LOG-5]
 */
export function reduceTranscript(
  transcript: Transcript,
  envelope: Envelope,
  id?: number,
): Transcript {
  const { lastId } = transcript
  if (id !== undefined) {
    if (id <= lastId) return transcript
    if (id - (envelope.span ?? 1) !== lastId) return { ...transcript, gapAfter: lastId }
  }
  const next = draftTranscript(transcript)
  next.gapAfter = undefined
  next.lastId = id ?? lastId
  if (next.status === 'idle') next.status = 'streaming'
  const isKnown = takeMessage(next, envelope)
  return isKnown || id !== undefined ? next : transcript
}
