import type { ModelEvent } from '../../../src/events/index.ts'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'
import type { MessageCut } from '../../../src/models/stream/index.ts'
import {
  type ChatReaderOptions,
  createChatReader,
} from '../../../src/models/openai/reader/chat-reader.ts'

/** A chunk of a streamed chat completion. */
export function chunk(choice: JsonObject | undefined, fields: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'model-1',
    choices: choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }],
    ...fields,
  }
}

/** A chunk with a delta. */
export function delta(fields: JsonObject): JsonObject {
  return chunk({ delta: fields })
}

/** A chunk with more of the text. */
export function text(content: string): JsonObject {
  return delta({ content })
}

/** A chunk with entries of `tool_calls`. */
export function calls(...entries: JsonObject[]): JsonObject {
  return delta({ tool_calls: entries })
}

/** The chunk that ends a message. */
export function finish(finish_reason = 'stop', fields: JsonObject = {}): JsonObject {
  return chunk({ delta: {}, finish_reason, ...fields })
}

/** The chunk with the usage of a message. */
export function usage(report: JsonObject): JsonObject {
  return chunk(undefined, { usage: report })
}

/** Writes chunks as the body of a response. */
export function toBody(chunks: readonly JsonValue[], end = 'data: [DONE]\n\n'): string {
  return chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('') + end
}

/** Reads chunks and `[DONE]`. */
export function readChunks(
  chunks: readonly JsonObject[],
  options: ChatReaderOptions = {},
): ModelEvent[] {
  const reader = createReader(options)
  return [...chunks.flatMap((value) => reader.feed(value)), ...reader.finish()]
}

/** Reads chunks of an interrupted stream. */
export function readCut(
  chunks: readonly JsonObject[],
  options: ChatReaderOptions = {},
  cut: MessageCut = { outcome: 'interrupted' },
): ModelEvent[] {
  const reader = createReader(options)
  return [...chunks.flatMap((value) => reader.feed(value)), ...reader.end(cut)]
}

/** Numbered ids, so that a test can name them. */
function createReader(options: ChatReaderOptions) {
  let made = 0
  return createChatReader({ createId: () => `made_${++made}`, ...options })
}
