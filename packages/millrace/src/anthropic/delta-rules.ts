/** What one type of delta does to the open block. */
export type DeltaRule =
  /** `field` holds more of the block's streamed text. */
  | { readonly effect: 'append'; readonly field: string }
  /** The delta's fields replace the block's: they carry final values, not pieces. */
  | { readonly effect: 'assign' }
  /** `field` holds a passage that supports the block. */
  | { readonly effect: 'cite'; readonly field: string }

/** Every type of delta that the Messages API sends today. */
export const deltaRules: ReadonlyMap<string, DeltaRule> = new Map<string, DeltaRule>([
  ['text_delta', { effect: 'append', field: 'text' }],
  ['thinking_delta', { effect: 'append', field: 'thinking' }],
  ['input_json_delta', { effect: 'append', field: 'partial_json' }],
  ['signature_delta', { effect: 'assign' }],
  ['compaction_delta', { effect: 'assign' }],
  ['citations_delta', { effect: 'cite', field: 'citation' }],
])
