import { draftTranscript, type TranscriptDraft } from './draft.ts'
import { interruptAll } from './end-transcript.ts'
import type { Transcript } from './transcript.ts'

/**
 * Takes in the end of a body without `[DONE]`: what is open is shown as interrupted, and the status is an error
 * unless the run had ended or paused; a resumed stream goes on as if nothing had happened. [SSE-5]
 */
export function cutTranscript(transcript: Transcript): Transcript {
  const { before, status } = transcript
  if (before) return transcript
  const next = draftTranscript(transcript)
  interruptAll(next)
  if (status === 'streaming' || status === 'idle') {
    fail(next, 'The stream stopped before its end.', 'stream_truncated', true)
  }
  next.before = transcript
  const isSame = next.status === status && next.agents === transcript.agents
  return isSame ? transcript : next
}

/** Takes in an error that is no message: older servers send a bare object and stop. */
export function foreignError(transcript: Transcript, message: string): Transcript {
  const next = draftTranscript(transcript.before ?? transcript)
  interruptAll(next)
  fail(next, message, 'internal', false)
  return next
}

function fail(next: TranscriptDraft, message: string, code: string, retriable: boolean): void {
  next.error = { type: 'error', message, code, retriable }
  next.status = 'error'
}
