/** A provider's delta of one call: id and name once, the arguments in chunks. */
export interface NativeCallDelta {
  /** The index of the call in its message; default: 0. */
  readonly index?: number | null
  readonly call_id?: string | null
  readonly name?: string | null
  /** Arguments as JSON text, cut anywhere. */
  readonly arguments_delta?: string | null
  /** The same three fields in the format of chat completions. */
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

/** A provider's delta; reasoning precedes content, and both precede calls. */
export interface NativeDelta {
  readonly reasoning?: string | null
  readonly content?: string | null
  readonly tool_calls?: readonly NativeCallDelta[] | null
}
