import { interruptBlocks } from './agent-blocks.ts'
import { draftAgent, draftTranscript, type TranscriptDraft } from './draft.ts'
import { showStatus } from './run-status.ts'
import type { Transcript } from './transcript.ts'

/** How the body of a stream ended: with `[DONE]`, or without it. */
export type StreamEnd = 'done' | 'truncated'

/**
 * Takes in the end of a stream's body. After `truncated`, what is open is shown as interrupted, and the status
 * is an error unless the run had ended or paused; a resumed stream goes on as if nothing had happened. [SSE-5]
 */
export function endTranscript(transcript: Transcript, how: StreamEnd): Transcript {
  const { before = transcript, gapAfter } = transcript
  const next = draftTranscript(before)
  interruptAll(next)
  // An end after a hole says nothing of what was missed.
  if (how === 'done' && gapAfter === undefined) {
    if (next.status !== 'idle') showStatus(next, 'complete')
  } else {
    if (before !== transcript) return transcript
    if (next.status === 'streaming' || next.status === 'idle') {
      fail(next, 'The stream stopped before its end.', 'stream_truncated', true)
    }
    next.before = transcript
  }
  const isSame = next.status === transcript.status && next.agents === transcript.agents
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

function interruptAll(next: TranscriptDraft): void {
  let position = 0
  for (const agent of next.agents) {
    if (agent.book.open.length > 0) {
      const draft = draftAgent(agent)
      interruptBlocks(draft)
      next.agents = next.agents.set(position, draft)
    }
    position++
  }
}
