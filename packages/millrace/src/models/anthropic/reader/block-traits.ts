import type { BlockKind } from '../../../events/index.ts'

/** The field that holds the streamed text of a closed block. */
export type BlockBody = 'text' | 'thinking' | 'input' | 'none'

/** Properties of a content block type of the Messages API. */
export interface BlockTraits {
  readonly kind: BlockKind
  readonly body: BlockBody
  /** Delta types that are valid for the block. */
  readonly accepts: readonly string[]
}

const whole = { body: 'none', accepts: [] } as const
const call = { body: 'input', accepts: ['input_json_delta'] } as const

const catalog: ReadonlyMap<string, BlockTraits> = new Map<string, BlockTraits>([
  ['text', { kind: 'text', body: 'text', accepts: ['text_delta', 'citations_delta'] }],
  [
    'thinking',
    { kind: 'thinking', body: 'thinking', accepts: ['thinking_delta', 'signature_delta'] },
  ],
  ['redacted_thinking', { kind: 'thinking', ...whole }],
  ['tool_use', { kind: 'tool_call', ...call }],
  ['server_tool_use', { kind: 'server_tool_call', ...call }],
  ['mcp_tool_use', { kind: 'server_tool_call', ...call }],
  ['compaction', { kind: 'other', body: 'none', accepts: ['compaction_delta'] }],
])

const serverResult: BlockTraits = { kind: 'server_tool_result', ...whole }
const unknown: BlockTraits = { kind: 'other', ...whole }

/** Returns the traits of a block type. A block of an unknown type is stored unchanged. */
export function blockTraitsOf(type: string): BlockTraits {
  const traits = catalog.get(type)
  if (traits !== undefined) return traits
  // Every server tool has its own result type, and new ones are added often.
  return type.endsWith('_tool_result') ? serverResult : unknown
}
