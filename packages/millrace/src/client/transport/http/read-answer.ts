import { createEnvelopeDecoder } from '../../../envelope/index.ts'
import { createEventDecoder, DONE_DATA } from '../../../sse/index.ts'
import {
  createTranscript,
  endTranscript,
  reduceTranscript,
  type Transcript,
} from '../../transcript/index.ts'
import { throwLoss } from './loss.ts'
import type { SessionOptions } from '../../session.ts'

/**
 * Reads one answer of the server into the transcript: gives a function that takes the next piece of the network,
 * shows what it has brought, and tells whether `[DONE]` has come.
 */
export function readAnswer(
  isFirst: boolean,
  transcript: Transcript,
  { onFrame }: SessionOptions,
): (piece: Uint8Array, show: (transcript: Transcript) => void) => boolean {
  let isEnded = false
  const decode = createEnvelopeDecoder()
  const decoder = createEventDecoder({
    onEvent({ id: position, data }) {
      if (isEnded) return
      const id = position ? Number(position) : undefined
      onFrame?.({ id, data })
      // Without an id, as in foreign streams, it is not less than anything.
      if (isFirst && id! <= transcript.lastId) {
        transcript = createTranscript() // a log that began anew, as when a server lost its store
      }
      isFirst = false
      isEnded = data === DONE_DATA
      const next = isEnded
        ? endTranscript(transcript)
        : reduceTranscript(transcript, decode(data), id)
      if (next.gapAfter !== undefined) throwLoss('a gap')
      transcript = next
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
