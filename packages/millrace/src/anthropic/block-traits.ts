import type { BlockKind } from '../events/index.ts'

/** Where the streamed text of a block ends up once it is whole. */
export type BlockBody = 'text' | 'thinking' | 'input' | 'none'

/** What is true of one type of content block of the Messages API. */
export interface BlockTraits {
  readonly kind: BlockKind
  readonly body: BlockBody
  /** The types of delta that may follow the block's start. */
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

/** The traits of a block type; one that is not in the catalogue is kept as it came. */
export function blockTraitsOf(type: string): BlockTraits {
  const traits = catalog.get(type)
  if (traits !== undefined) return traits
  // Every server tool has its own result type, and new ones appear often.
  return type.endsWith('_tool_result') ? serverResult : unknown
}
