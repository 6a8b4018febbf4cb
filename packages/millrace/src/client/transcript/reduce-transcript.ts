import type { StreamEvent } from '../../events/index.ts'
import { draftTranscript } from './reduce/draft.ts'
import { takeEvent } from './reduce/take-event.ts'
import type { Transcript } from './transcript.ts'

/**
 * Returns a transcript with one more event of a decoder; unchanged parts are shared, and the cost does not depend on its length. `event`
 * is undefined for a frame that completes none. With the `id` of the frame the transcript has its position in the log.
 */
export function reduceTranscript(
  transcript: Transcript,
  event: StreamEvent | undefined,
  id?: number,
): Transcript {
  const { lastId, status } = transcript
  // A frame that was read before completes no event; any other shows that the stream has started.
  if (!event && (id === undefined ? status !== 'idle' : !(id > lastId))) return transcript
  const next = draftTranscript(transcript)
  next.gapAfter = undefined
  next.lastId = id ?? lastId
  if (next.status === 'idle') next.status = 'streaming'
  const isShown = event && takeEvent(next, event)
  return isShown || !event || id !== undefined ? next : transcript
}
