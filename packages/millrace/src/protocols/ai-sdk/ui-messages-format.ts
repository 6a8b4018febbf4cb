import { objectsIn, type StreamEvent } from '../../events/index.ts'
import { toText } from '../../json/index.ts'
import type { FormatFrame, EventFormat, EventWriter, StreamEnd } from '../port/index.ts'
import { toPromptParts } from './prompt-parts.ts'
import type { UiChunk } from './ui-chunk.ts'
import { UiMessage } from './ui-message.ts'

/**
 * Creates a format that writes each run of a log as two complete messages: the prompt, and the message of its UI message stream. Files of
 * the prompt have URLs of the server.
 */
export function uiMessagesFormat(stream: EventFormat): EventFormat {
  return {
    name: 'ui-messages',
    reads: 'events',
    headers: {},
    done: undefined,
    open: (root, { session = root } = {}) =>
      new UiMessagesWriter(root, session, stream.open(root, { session })),
  }
}

class UiMessagesWriter implements EventWriter {
  readonly #root: string
  readonly #session: string
  readonly #stream: EventWriter
  #message: UiMessage | undefined

  constructor(root: string, session: string, stream: EventWriter) {
    this.#root = root
    this.#session = session
    this.#stream = stream
  }

  write(event: StreamEvent): readonly FormatFrame[] {
    const before = this.#begin(event)
    for (const frame of this.#stream.write(event)) this.#take(frame, event.id)
    return before
  }

  finish(end: StreamEnd): readonly FormatFrame[] {
    for (const frame of this.#stream.finish(end)) this.#take(frame, 0)
    return this.#flush()
  }

  /** Ends the message of the run before a new one. */
  #begin(event: StreamEvent): readonly FormatFrame[] {
    if (event.type !== 'run_start' || event.agent !== this.#root) return []
    const { user_query: query, user_files: kept, run_id: run } = event.payload
    const options = { session: this.#session, files: objectsIn(kept) }
    const parts = toPromptParts(toText(query ?? ''), options)
    const asked = { id: `${toText(run)}-user`, role: 'user', parts }
    return [...this.#flush(), { data: JSON.stringify(asked) }]
  }

  #take({ data = '' }: FormatFrame, id: number): void {
    this.#message ??= new UiMessage(`message-${id}`)
    // Our own writer has encoded it.
    this.#message.take(JSON.parse(data) as UiChunk)
  }

  #flush(): readonly FormatFrame[] {
    const message = this.#message
    this.#message = undefined
    return message === undefined ? [] : [{ data: message.encode() }]
  }
}
