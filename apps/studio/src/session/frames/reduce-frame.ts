import { createTranscript, DONE_DATA, endTranscript, reduceTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import type { LoggedFrame } from './frame-log.ts'

/** Adds a frame to a transcript. */
export function reduceFrame(
  transcript: Transcript,
  { id, data, event }: Pick<LoggedFrame, 'id' | 'data' | 'event'>,
): Transcript {
  if (data === DONE_DATA) return endTranscript(transcript)
  // The log restarted, as when a server lost its store.
  const base = id === 1 && transcript.lastId > 0 ? createTranscript() : transcript
  return reduceTranscript(base, event, id)
}
