import type { TranscriptDraft } from './draft.ts'

/** New content has come: a failure is over, and so is the waiting for one call, or for all of an agent. */
export function goOn(next: TranscriptDraft, agent: string, toolUseId?: string): void {
  if (next.pending.length) {
    next.pending = next.pending.filter(
      (tool) => tool.agent !== agent || (toolUseId !== undefined && tool.toolUseId !== toolUseId),
    )
  }
  next.error = undefined
  showStatus(next, 'streaming')
}

/** What has happened decides the status before what is going on; a stop lasts until the next run begins. */
export function showStatus(next: TranscriptDraft, otherwise: 'streaming' | 'complete'): void {
  if (next.error) next.status = 'error'
  else if (next.status !== 'aborted') {
    next.status = next.pending.length ? 'awaiting_tools' : otherwise
  }
}
