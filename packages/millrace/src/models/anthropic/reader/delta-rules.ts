/** The effect of a delta type on the open block. */
type DeltaRule =
  /** `field` holds the next part of the streamed text. */
  | { readonly effect: 'append'; readonly field: string }
  /** The delta's fields replace those of the block: they hold final values. */
  | { readonly effect: 'assign' }
  /** `field` holds a citation. */
  | { readonly effect: 'cite'; readonly field: string }

/** All delta types of the Messages API. */
export const deltaRules: ReadonlyMap<string, DeltaRule> = new Map<string, DeltaRule>([
  ['text_delta', { effect: 'append', field: 'text' }],
  ['thinking_delta', { effect: 'append', field: 'thinking' }],
  ['input_json_delta', { effect: 'append', field: 'partial_json' }],
  ['signature_delta', { effect: 'assign' }],
  ['compaction_delta', { effect: 'assign' }],
  ['citations_delta', { effect: 'cite', field: 'citation' }],
])
