import type { TranscriptDraft } from './draft.ts'

/** Records new content: it ends an error, and the wait for one call or all calls of an agent. */
export function resume(next: TranscriptDraft, agent: string, callId?: string): void {
  if (next.pending.length) {
    next.pending = next.pending.filter(
      (tool) => tool.agent !== agent || (callId !== undefined && tool.callId !== callId),
    )
  }
  next.error = undefined
  showStatus(next, 'streaming')
}

/** Sets the status: an error or stop takes precedence over activity; a stop lasts until the next run starts. */
export function showStatus(next: TranscriptDraft, otherwise: 'streaming' | 'complete'): void {
  if (next.error) next.status = 'error'
  else if (next.status !== 'aborted') {
    next.status = next.pending.length ? 'awaiting_tools' : otherwise
  }
}
