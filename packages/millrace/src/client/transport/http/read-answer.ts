import { isMillraceError } from '../../../errors/index.ts'
import { createDecoder, type Decoder } from '../../../events/index.ts'
import { createEventDecoder, DONE_DATA } from '../../../sse/index.ts'
import {
  createTranscript,
  endTranscript,
  reduceTranscript,
  type Transcript,
} from '../../transcript/index.ts'
import { failConnection } from './check-response.ts'
import type { SessionOptions } from '../../session.ts'

interface ReadLog {
  /** Its name on the server. */
  name?: string | null | undefined
  decoder: Decoder
}

/** Creates an unread log. */
export function createReadLog(): ReadLog {
  return { decoder: createDecoder({ after: 0 }) }
}

/**
 * Reads one response of the server into the transcript. Returns a function that takes the next bytes, shows the transcript,
 * and returns whether `[DONE]` has arrived.
 */
export function readAnswer(
  isFirst: boolean,
  transcript: Transcript,
  log: ReadLog,
  { onFrame }: SessionOptions,
): (piece: Uint8Array, show: (transcript: Transcript) => void) => boolean {
  let isEnded = false
  const decoder = createEventDecoder({
    onEvent({ id: position, data }) {
      if (isEnded) return
      const id = position ? Number(position) : undefined
      onFrame?.({ id, data })
      // Frames of foreign streams have no id: the comparison is then false.
      if (isFirst && id! <= transcript.lastId) {
        transcript = createTranscript() // a new log, as after a server has lost its store
        log.decoder = createDecoder({ after: 0 })
      }
      isFirst = false
      isEnded = data === DONE_DATA
      transcript = isEnded
        ? endTranscript(transcript)
        : reduceTranscript(transcript, decode(log.decoder, data, id), id)
    },
  })
  return (piece, show) => {
    try {
      decoder.feed(piece)
    } finally {
      show(transcript)
    }
    return isEnded
  }
}

/** Decodes a frame; after a hole the stream is requested again. [LOG-3] */
function decode(decoder: Decoder, data: string, id: number | undefined) {
  try {
    return decoder.decode(data, id)
  } catch (error) {
    if (isMillraceError(error) && error.code === 'frames_missing') failConnection('a gap')
    throw error
  }
}
