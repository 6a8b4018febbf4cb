import { type ContentBlock, isContentBlock, type Message } from '../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import type { ToolParameters } from '../../segments/index.ts'
import type { ToolNotation } from './tool-notation.ts'

/** Options for writing the calls and results of a conversation. */
interface WriteOptions {
  readonly notation: ToolNotation
  readonly types: ToolParameters
}

/** Parts of a result that a model reads besides text. */
const attachments: ReadonlySet<string> = new Set(['image', 'document', 'search_result'])

/** Writes the calls and results of a conversation as text; thinking that was found in text is not repeated. */
export function writeMessages(messages: readonly Message[], options: WriteOptions) {
  const names = new Map<JsonValue | undefined, string>()
  const parts = messages.map(({ content }) =>
    content.map((block, position) => {
      if (block.type === 'tool_use') {
        names.set(block['id'], String(block['name']))
        return [writeCall(block, content[position - 1], options)]
      }
      if (block.type === 'tool_result') return writeResult(block, options.notation, names)
      return isTextThinking(block) ? [] : [block]
    }),
  )
  const written = messages.map((message, index) => ({
    ...message,
    content: parts[index]?.flat() ?? [],
  }))
  return {
    messages: written.filter(({ content }) => content.length > 0),
    /** For each original message and each of its blocks, the number of blocks that replace it. */
    counts: parts.map((blocks) => blocks.map(({ length }) => length)),
  }
}

function writeCall(
  block: ContentBlock,
  before: ContentBlock | undefined,
  { notation, types }: WriteOptions,
): ContentBlock {
  const { name: given, input } = block
  const name = String(given)
  const own = Object.hasOwn(types, name) ? types[name] : undefined
  const text = notation.writeCall(name, isJsonObject(input) ? input : {}, own)
  const { separator = '\n' } = notation
  const space = before === undefined ? '' : before.type === 'tool_use' ? separator : '\n'
  return { type: 'text', text: `${space}${text}`, ...cacheMarkOf(block) }
}

function writeResult(
  block: ContentBlock,
  notation: ToolNotation,
  names: ReadonlyMap<JsonValue | undefined, string>,
): ContentBlock[] {
  const { tool_use_id: id, content, is_error: isError } = block
  const parts = isJsonArray(content) ? content.filter(isContentBlock) : []
  const others = parts.filter(({ type }) => attachments.has(type))
  const resultText = typeof content === 'string' ? content : toText(parts)
  const text = resultText === '' ? emptyText(others.length) : resultText
  const name = names.get(id) ?? String(id)
  const written = notation.writeResult({ name, text: isError === true ? `Error: ${text}` : text })
  return [{ type: 'text', text: written, ...cacheMarkOf(block) }, ...others]
}

function toText(parts: readonly ContentBlock[]): string {
  return parts
    .filter(({ type }) => !attachments.has(type))
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)))
    .join('\n')
}

function emptyText(others: number): string {
  return others === 0 ? '(no output)' : '(see what follows)'
}

/** Checks for thinking that was found in text, which has no signature and is not sent back. */
function isTextThinking(block: ContentBlock): boolean {
  return block.type === 'thinking' && Object.keys(block).length === 2
}

function cacheMarkOf({ cache_control: mark }: ContentBlock): JsonObject {
  return mark === undefined ? {} : { cache_control: mark }
}
