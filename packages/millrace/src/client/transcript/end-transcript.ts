import { interruptBlocks } from './reduce/agent-blocks.ts'
import { draftAgent, draftTranscript, type TranscriptDraft } from './reduce/draft.ts'
import { showStatus } from './reduce/run-status.ts'
import type { Transcript } from './transcript.ts'

/** Applies `[DONE]`, the end of a stream; it has no effect after a gap. [SSE-5] [LOG-3] */
export function endTranscript(transcript: Transcript): Transcript {
  if (transcript.gapAfter !== undefined) return transcript
  const next = draftTranscript(transcript)
  interruptAll(next)
  if (next.status !== 'idle') showStatus(next, 'complete')
  return next
}

/** Closes the open blocks of every agent. */
export function interruptAll(next: TranscriptDraft): void {
  let position = 0
  for (const agent of next.agents) {
    if (agent.reducer.open.length > 0) {
      const draft = draftAgent(agent)
      interruptBlocks(draft)
      next.agents = next.agents.set(position, draft)
    }
    position++
  }
}
