/** Finish reasons of a message that the AI SDK 6 and 7 share. */
type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

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

/** Converts the stop reason of a run to a finish reason. */
export function toFinishReason(stopReason: unknown): FinishReason {
  return finishReasons.get(stopReason) ?? 'other'
}

/** Converts a finish reason to the stop reason of a run. */
export function toStopReason(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? 'end_turn'
}
