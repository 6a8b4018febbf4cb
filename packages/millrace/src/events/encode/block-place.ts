import type { Extras } from '../envelope/envelope.ts'
import { type BlockEnd, type BlockKind } from '../model-event.ts'
import { type ContentBlock } from '../message.ts'
import { toVisibleJson } from '../visible-json.ts'
import { isJsonObject, type JsonValue } from '../../json/index.ts'

/** The wire form of a kind of block. */
export interface BlockPlace {
  readonly type: string
  /** `streamed`: each part at once. `input`: at once on request. `whole`: at the end of the block. */
  readonly emission: 'streamed' | 'input' | 'whole'
  /** Returns the extra fields; `spareId` replaces a missing id. */
  extras(content: ContentBlock, spareId: string): Extras
  /** Returns the content of a block that was not streamed. */
  payload(end: BlockEnd): string
}

/** The wire form of every kind of block; none is dropped. [MAP-1] */
export const blockPlaces: Readonly<Record<BlockKind, BlockPlace>> = {
  text: { type: 'text', emission: 'streamed', extras: () => ({}), payload: () => '' },
  thinking: {
    type: 'thinking',
    emission: 'streamed',
    extras: ({ type }) => (type === 'redacted_thinking' ? { redacted: true } : {}),
    payload: () => '',
  },
  tool_call: { type: 'tool_call', emission: 'input', extras: callExtras, payload: inputTextOf },
  server_tool_call: {
    type: 'server_tool_call',
    emission: 'input',
    extras: callExtras,
    payload: inputTextOf,
  },
  server_tool_result: {
    type: 'server_tool_result',
    emission: 'whole',
    extras: resultExtras,
    // The provider's content unchanged; calls and results of later turns may refer to any part of it.
    payload: ({ content }) => JSON.stringify(content['content'] ?? null),
  },
  other: {
    type: 'server_tool_result',
    emission: 'whole',
    extras: resultExtras,
    payload: ({ content }) => toVisibleJson(content),
  },
}

function callExtras(content: ContentBlock, spareId: string): Extras {
  const { id, name, server_name: server, type } = content
  const extras = { id: textOr(id, spareId), name: textOr(name, type) }
  return typeof server === 'string' ? { ...extras, server_name: server } : extras
}

function resultExtras(content: ContentBlock, spareId: string): Extras {
  const { tool_use_id: callId, id, type } = content
  const extras = { id: textOr(callId ?? id, spareId), name: type }
  return isFailure(content) ? { ...extras, is_error: true } : extras
}

/** Checks for an error: MCP has a field for it, the provider's own tools name it in the type of the content. */
function isFailure({ is_error: isError, content }: ContentBlock): boolean {
  if (isError === true) return true
  return isJsonObject(content) && textOr(content['type'], '').endsWith('_error')
}

function inputTextOf({ inputText, content }: BlockEnd): string {
  return inputText ?? JSON.stringify(content['input'] ?? {})
}

function textOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}
