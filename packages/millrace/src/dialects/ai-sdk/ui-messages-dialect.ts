import { createJoiner, type Envelope } from '../../envelope/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import {
  type Dialect,
  type DialectFrame,
  type DialectWriter,
  payloadOf,
  type StreamEnd,
} from '../../telling/index.ts'
import { parseJson } from './tool-output.ts'
import type { UiChunk } from './ui-chunk.ts'
import { UiMessage } from './ui-message.ts'

/** Says each run of a log as two whole messages: what was asked, and what a UI message stream of it makes. */
export function uiMessagesDialect(stream: Dialect): Dialect {
  return {
    name: 'ui-messages',
    headers: {},
    done: undefined,
    open: (session) => new UiMessagesWriter(session, stream.open(session)),
  }
}

class UiMessagesWriter implements DialectWriter {
  readonly #session: string
  readonly #stream: DialectWriter
  readonly #joiner = createJoiner()
  #message: UiMessage | undefined

  constructor(session: string, stream: DialectWriter) {
    this.#session = session
    this.#stream = stream
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    const before = this.#begin(envelope)
    for (const frame of this.#stream.write(envelope, id)) this.#take(frame, id)
    return before
  }

  finish(end: StreamEnd): readonly DialectFrame[] {
    for (const frame of this.#stream.finish(end)) this.#take(frame, 0)
    return this.#flush()
  }

  /** A run that begins ends the message of the one before it. */
  #begin(envelope: Envelope): readonly DialectFrame[] {
    if (envelope.type !== 'meta_init' || envelope.agent !== this.#session) return []
    const whole = this.#joiner.push(envelope)
    if (whole === undefined) return []
    const { user_query: query, run_id: run } = payloadOf(whole.delta)
    const asked = { id: `${String(run)}-user`, role: 'user', parts: toParts(String(query ?? '')) }
    return [...this.#flush(), { data: JSON.stringify(asked) }]
  }

  #take({ data = '' }: DialectFrame, id: number): void {
    this.#message ??= new UiMessage(`message-${id}`)
    // Our own writer has made it.
    this.#message.take(JSON.parse(data) as UiChunk)
  }

  #flush(): readonly DialectFrame[] {
    const message = this.#message
    this.#message = undefined
    return message === undefined ? [] : [{ data: message.encode() }]
  }
}

/** What was asked: text, or blocks, in which the log keeps the sizes of files in place of them. */
function toParts(query: string): readonly JsonObject[] {
  const blocks = query.startsWith('[{"type":') ? parseJson(query) : undefined
  if (!isJsonArray(blocks) || !blocks.every(isJsonObject)) return [{ type: 'text', text: query }]
  return blocks.map(toPart)
}

function toPart(block: JsonObject): JsonObject {
  const { type, text } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const data: JsonValue = block
  return { type: 'data-attachment', data }
}
