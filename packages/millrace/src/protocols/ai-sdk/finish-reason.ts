/** The reasons for which a message may be finished, of those that both the AI SDK 6 and 7 know. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['stop', 'stop'],
  ['max_tokens', 'length'],
  ['length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
  ['content_filter', 'content-filter'],
  ['awaiting_frontend_tools', 'tool-calls'],
  ['awaiting_approval', 'tool-calls'],
  ['error', 'error'],
])

const stopReasons: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['content-filter', 'refusal'],
  ['tool-calls', 'tool_use'],
  ['error', 'error'],
  ['interrupted', 'aborted'],
])

/** Why a message is finished, by the stop reason of its run. */
export function toFinishReason(stopReason: unknown): FinishReason {
  return finishReasons.get(stopReason) ?? 'other'
}

/** The stop reason of a run whose message was finished for this reason. */
export function toStopReason(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? 'end_turn'
}
