import { reduceTranscript, type Transcript } from '../client/transcript/index.ts'
import { type Envelope, createDecoder } from '../events/index.ts'
import { isMillraceError } from '../errors/index.ts'

/**
 * Creates the reducer of one log's frames, which takes lines, or frames that were parsed before. With an `id`, a frame that was read before changes nothing, and one after a
 * hole marks the hole. [LOG-3]
 */
export function createFrameReducer() {
  let decoder = createDecoder({ after: 0 })
  return (transcript: Transcript, frame: string | Envelope, id?: number): Transcript => {
    const { lastId } = transcript
    if (id !== undefined && decoder.lastId !== lastId) decoder = createDecoder({ after: lastId })
    try {
      const event =
        typeof frame === 'string' ? decoder.decode(frame, id) : decoder.decodeFrame(frame, id)
      return reduceTranscript(transcript, event, id)
    } catch (error) {
      if (!isMillraceError(error) || error.code !== 'frames_missing') throw error
      return { ...transcript, gapAfter: lastId }
    }
  }
}
