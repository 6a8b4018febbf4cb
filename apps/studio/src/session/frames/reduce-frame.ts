import { createEnvelopeDecoder, createTranscript, endTranscript, reduceTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import type { Frame } from 'millrace/client'

/** Takes frames into a transcript, one after the other. */
export type FrameReducer = (transcript: Transcript, frame: Frame) => Transcript

/** Creates a reducer of the frames of one session, as they came; a line that is none changes nothing. */
export function createFrameReducer(): FrameReducer {
  const decode = createEnvelopeDecoder()
  return (transcript, { id, data }) => {
    if (data === '[DONE]') return endTranscript(transcript)
    // A log that began anew, as when a server lost its store.
    const base = id === 1 && transcript.lastId > 0 ? createTranscript() : transcript
    try {
      return reduceTranscript(base, decode(data), id)
    } catch {
      return transcript
    }
  }
}

/** Creates a reducer of the frames of a file, which may begin anywhere and may miss some. */
export function createFileReducer(): FrameReducer {
  const reduce = createFrameReducer()
  return (transcript, frame) => {
    const next = reduce(transcript, frame)
    if (next.gapAfter === undefined || frame.id === undefined) return next
    // What is missing is missing; the rest is shown.
    return reduce({ ...transcript, lastId: frame.id - spanOf(frame.data) }, frame)
  }
}

function spanOf(data: string): number {
  const { span } = JSON.parse(data) as { readonly span?: unknown }
  return typeof span === 'number' ? span : 1
}
