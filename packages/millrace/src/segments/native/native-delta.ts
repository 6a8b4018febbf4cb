/** What a provider sends of one call: id and name once, the arguments in pieces. */
export interface NativeCallDelta {
  /** Which call of the message it belongs to; 0 if absent. */
  readonly index?: number | null
  readonly call_id?: string | null
  readonly name?: string | null
  /** More of the arguments as JSON text, cut anywhere. */
  readonly arguments_delta?: string | null
  /** The same three as chat completions have them. */
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

/** What a provider sends at once; reasoning comes before content, and both before calls. */
export interface NativeDelta {
  readonly reasoning?: string | null
  readonly content?: string | null
  readonly tool_calls?: readonly NativeCallDelta[] | null
}
