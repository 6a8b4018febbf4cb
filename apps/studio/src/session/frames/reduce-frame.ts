import { createEnvelopeDecoder, createTranscript, endTranscript, reduceTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import type { Frame } from 'millrace/client'

/** Adds a frame to a transcript. */
export type FrameReducer = (transcript: Transcript, frame: Frame) => Transcript

/** Creates a reducer of one session's frames; an invalid line changes nothing. */
export function createFrameReducer(): FrameReducer {
  const decode = createEnvelopeDecoder()
  return (transcript, { id, data }) => {
    if (data === '[DONE]') return endTranscript(transcript)
    // The log restarted, as when a server lost its store.
    const base = id === 1 && transcript.lastId > 0 ? createTranscript() : transcript
    try {
      return reduceTranscript(base, decode(data), id)
    } catch {
      return transcript
    }
  }
}

/** Creates a reducer of a file's frames, which may begin anywhere and have gaps. */
export function createFileReducer(): FrameReducer {
  const reduce = createFrameReducer()
  return (transcript, frame) => {
    const next = reduce(transcript, frame)
    if (next.gapAfter === undefined || frame.id === undefined) return next
    // A gap is skipped.
    return reduce({ ...transcript, lastId: frame.id - spanOf(frame.data) }, frame)
  }
}

function spanOf(data: string): number {
  const { span } = JSON.parse(data) as { readonly span?: unknown }
  return typeof span === 'number' ? span : 1
}
