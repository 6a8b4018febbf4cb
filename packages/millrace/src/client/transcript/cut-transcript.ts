import { draftTranscript, type TranscriptDraft } from './reduce/draft.ts'
import { interruptAll } from './end-transcript.ts'
import type { Transcript } from './transcript.ts'

/**
 * Returns the transcript of a body that ended without `[DONE]`: open blocks are interrupted, and the status is an error unless the run
 * had ended or paused. A resumed stream continues from the given transcript, not from this one. [SSE-5]
 */
export function cutTranscript(transcript: Transcript): Transcript {
  const { status } = transcript
  const next = draftTranscript(transcript)
  interruptAll(next)
  if (status === 'streaming' || status === 'idle') {
    fail(next, 'The stream stopped before its end.', 'stream_truncated', true)
  }
  return next
}

/** Adds an error that is not a frame: older servers send a bare object and stop. */
export function foreignError(transcript: Transcript, message: string): Transcript {
  const next = draftTranscript(transcript)
  interruptAll(next)
  fail(next, message, 'internal', false)
  return next
}

function fail(next: TranscriptDraft, message: string, code: string, retriable: boolean): void {
  next.error = { type: 'error', message, code, retriable }
  next.status = 'error'
}
