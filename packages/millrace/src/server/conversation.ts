import { toFinalAnswer } from '../agent/index.ts'
import { toHistoryJson, toPromptText, toWireFile } from '../exit/index.ts'
import { isPauseReason, type RunEnd } from '../events/index.ts'
import type { Conversation } from '../store/index.ts'
import type { StoredSession } from './session-record.ts'

/** Writes a run down for the history, as the seed's `/conversations` tells it; a pause is completed later. */
export function toConversation(
  stored: StoredSession,
  event: RunEnd,
  session: string,
): Conversation {
  const { runs: number, startedAt, updatedAt, state, times } = stored
  const { stopReason, steps, usage, files, messages } = event
  const [first] = messages
  const json = toHistoryJson({
    conversation_id: `${session}/${number}`,
    run_id: state?.runId ?? null,
    sequence_number: number,
    user_message: first === undefined ? '' : toUserText(first.content),
    final_response: toFinalAnswer(messages),
    started_at: new Date(startedAt).toISOString(),
    completed_at: isPauseReason(stopReason) ? null : new Date(updatedAt).toISOString(),
    stop_reason: stopReason,
    total_steps: steps,
    usage,
    generated_files: files.map(toWireFile),
    messages,
    told_results: isPauseReason(stopReason) ? state?.turn?.results : undefined,
    times,
  })
  return { number, json }
}

/** What the person wrote; results of the run before may stand in front of it. */
function toUserText(content: RunEnd['messages'][number]['content']): string {
  const written = content.filter(({ type }) => type !== 'tool_result')
  const [only] = written
  return written.length === 1 && only?.type === 'text'
    ? String(only['text'])
    : toPromptText(written)
}
