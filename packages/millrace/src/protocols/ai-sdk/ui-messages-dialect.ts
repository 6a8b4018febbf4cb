import { toText } from '../../json/index.ts'
import { createJoiner, type Envelope } from '../../envelope/index.ts'
import {
  type Dialect,
  type DialectFrame,
  type DialectWriter,
  objectsIn,
  payloadOf,
  type StreamEnd,
} from '../../telling/index.ts'
import { toPromptParts } from './prompt-parts.ts'
import type { UiChunk } from './ui-chunk.ts'
import { UiMessage } from './ui-message.ts'

/**
 * Says each run of a log as two whole messages: what was asked, and what a UI message stream of it makes. Files of
 * what was asked are named by the addresses that the server gives them at.
 */
export function uiMessagesDialect(stream: Dialect): Dialect {
  return {
    name: 'ui-messages',
    headers: {},
    done: undefined,
    open: (root, { session = root } = {}) =>
      new UiMessagesWriter(root, session, stream.open(root, { session })),
  }
}

class UiMessagesWriter implements DialectWriter {
  readonly #root: string
  readonly #session: string
  readonly #stream: DialectWriter
  readonly #joiner = createJoiner()
  #message: UiMessage | undefined

  constructor(root: string, session: string, stream: DialectWriter) {
    this.#root = root
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
    if (envelope.type !== 'meta_init' || envelope.agent !== this.#root) return []
    const whole = this.#joiner.push(envelope)
    if (whole === undefined) return []
    const { user_query: query, user_files: kept, run_id: run } = payloadOf(whole.delta)
    const options = { session: this.#session, files: objectsIn(kept) }
    const parts = toPromptParts(toText(query ?? ''), options)
    const asked = { id: `${toText(run)}-user`, role: 'user', parts }
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
