import type { BlockKind, ContentBlock, ModelEvent } from '../../events/index.ts'

const kinds: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'thinking',
  tool_use: 'tool_call',
  server_tool_use: 'server_tool_call',
  web_search_tool_result: 'server_tool_result',
}

/** Yields the start of a scripted block and its text in small pieces. */
export function* openBlock(block: number, scripted: ContentBlock): Generator<ModelEvent> {
  const { content, inputText } = split(scripted)
  // Text and thinking are in a field that is named after their type.
  const streamed = content.type in content ? content.type : undefined
  const start = streamed === undefined ? content : { ...content, [streamed]: '' }
  yield { type: 'block_start', block, kind: kindOf(content), content: start }
  const text = streamed === undefined ? (inputText ?? '') : String(content[streamed])
  for (const piece of text.match(/[^]{1,3}/gu) ?? []) {
    yield { type: 'block_delta', block, text: piece }
  }
}

/** Returns the end of a scripted block. */
export function closeBlock(block: number, scripted: ContentBlock): ModelEvent {
  const { content, inputText } = split(scripted)
  const raw = inputText === undefined ? {} : { inputText }
  return { type: 'block_end', block, kind: kindOf(content), content, ...raw }
}

/** Returns the blocks as the next request has them. */
export function toContent(blocks: readonly ContentBlock[]): ContentBlock[] {
  return blocks.map((block) => split(block).content)
}

/** Returns the stop reason of a message with these blocks, if its script has none. */
export function toStopReason(content: readonly ContentBlock[]): string {
  return content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
}

/** A script may define the model's own bytes as `inputText` beside `input`, if they differ. */
function split(scripted: ContentBlock): { content: ContentBlock; inputText: string | undefined } {
  const { inputText, ...content } = scripted
  const written = 'input' in content ? JSON.stringify(content['input']) : undefined
  return {
    content: { ...content, type: scripted.type },
    inputText: typeof inputText === 'string' ? inputText : written,
  }
}

function kindOf({ type }: ContentBlock): BlockKind {
  return kinds[type] ?? 'other'
}
