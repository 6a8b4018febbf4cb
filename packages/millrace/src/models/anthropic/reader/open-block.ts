import type { BlockEnd, BlockKind, ContentBlock } from '../../../events/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
} from '../../../json/index.ts'

/** The field that holds the streamed text of a closed block. */
type BlockBody = 'text' | 'thinking' | 'input' | 'none'

/** Properties of a content block type of the Messages API. */
interface BlockTraits {
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

/** Returns a string value, else an empty string. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** A block between its start and its stop. */
export interface OpenBlock {
  /** Index of the block in the message, in start order. */
  readonly block: number
  /** The `index` of the start. Later events of the block may differ. */
  readonly index: JsonValue | undefined
  readonly traits: BlockTraits
  readonly start: ContentBlock
  /** The `index` of the block's deltas. */
  alias: JsonValue | undefined
  /** Streamed text so far. V8 stores the concatenation as a rope. */
  text: string
  assigned: JsonObject | undefined
  citations: JsonObject[] | undefined
}

interface ClosedBlock {
  readonly end: BlockEnd
  /** Tool input that was not in a delta. Readers of deltas have not received it. */
  readonly unseenText: string
  readonly problem?: string
}

/** Opens a block with its first content. */
export function openBlock(
  block: number,
  index: JsonValue | undefined,
  start: ContentBlock,
): OpenBlock {
  const traits = blockTraitsOf(start.type)
  const text = initialText(traits.body, start)
  return {
    block,
    index,
    traits,
    start,
    alias: index,
    text,
    assigned: undefined,
    citations: undefined,
  }
}

/** Creates the final block, as sent back to the API, and its event. */
export function closeBlock(open: OpenBlock): ClosedBlock {
  const { block, traits, start } = open
  if (traits.body === 'input') return closeCall(open)
  const text = traits.body === 'none' ? {} : { [traits.body]: open.text }
  const content = { ...start, ...text, ...open.assigned, ...citationsOf(open) }
  return { end: { type: 'block_end', block, kind: traits.kind, content }, unseenText: '' }
}

function closeCall({ block, traits, start, text }: OpenBlock): ClosedBlock {
  const given = isJsonObject(start['input']) ? start['input'] : {}
  const inputText = text === '' ? JSON.stringify(given) : text
  // The API rejects input that is not an object in the next request.
  const input = text === '' ? given : parseJsonObject(text)
  const content = { ...start, input: input ?? {} }
  const end: BlockEnd = { type: 'block_end', block, kind: traits.kind, content, inputText }
  const unseenText = text === '' ? inputText : ''
  if (input !== undefined) return { end, unseenText }
  const problem = `The input of ${String(start['name'])} is not a JSON object; its text is kept as the model wrote it.`
  return { end, unseenText, problem }
}

function initialText(body: BlockBody, start: ContentBlock): string {
  const text = body === 'text' || body === 'thinking' ? start[body] : ''
  return typeof text === 'string' ? text : ''
}

function citationsOf({ start, citations }: OpenBlock): JsonObject {
  if (citations === undefined) return {}
  const given = start['citations']
  return { citations: isJsonArray(given) ? [...given, ...citations] : citations }
}
