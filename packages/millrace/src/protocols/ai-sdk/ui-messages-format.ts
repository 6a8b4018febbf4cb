import { objectsIn, type StreamEvent } from '../../events/index.ts'
import {
  toText,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../json/index.ts'
import type { FormatFrame, EventFormat, EventWriter, StreamEnd } from '../port/index.ts'
import type { UiChunk } from './ui-output.ts'
import { UiMessage } from './ui-message.ts'
import { parseJson } from './tool-output.ts'

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
    open: (root, { session = root, baseUrl = '' } = {}) =>
      new UiMessagesWriter(root, `${baseUrl}/agent/${session}`, stream.open(root, { session })),
  }
}

class UiMessagesWriter implements EventWriter {
  readonly #root: string
  readonly #sessionUrl: string
  readonly #stream: EventWriter
  #message: UiMessage | undefined

  constructor(root: string, sessionUrl: string, stream: EventWriter) {
    this.#root = root
    this.#sessionUrl = sessionUrl
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
    const options = { sessionUrl: this.#sessionUrl, files: objectsIn(kept) }
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

/** The address of the session of a prompt, and the stored files of the prompt. */
interface PromptPartsOptions {
  readonly sessionUrl: string
  /** The `user_files` of `meta_init`. */
  readonly files: readonly JsonObject[]
}

/** Placeholder in the log for long text. */
const textLabel = /^\[text, \d+\.\d [KM]B\]$/

/** Converts a prompt to parts. The prompt is text, or blocks in which the log has sizes in place of files. */
function toPromptParts(query: string, options: PromptPartsOptions): readonly JsonObject[] {
  const blocks = query.startsWith('[{"type":') ? parseJson(query) : undefined
  if (!isJsonArray(blocks) || !blocks.every(isJsonObject)) return [{ type: 'text', text: query }]
  return blocks.map((block, position) => toPart(block, fileAt(position, options)))
}

/** URL and name of the stored file of a block. */
interface KeptFile {
  readonly url: string
  readonly filename: JsonValue | undefined
}

function fileAt(position: number, { sessionUrl, files }: PromptPartsOptions): KeptFile | undefined {
  const found = files.find(({ block }) => block === position)
  if (found === undefined) return undefined
  return { url: `${sessionUrl}/files/${toText(found['file_id'])}`, filename: found['filename'] }
}

function toPart(block: JsonObject, file: KeptFile | undefined): JsonObject {
  const { type, text, source, title } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const fields = isJsonObject(source) ? source : {}
  const { media_type: mediaType } = fields
  const filename = file?.filename ?? title
  const url = file?.url ?? toDataUrl(fields)
  if (url === undefined || typeof mediaType !== 'string') return toAttachment(block)
  const named = typeof filename === 'string' ? { filename } : {}
  return { type: 'file', mediaType, ...named, url }
}

/** Converts short text to a data URL. The log stores short text completely. */
function toDataUrl({ type, data }: JsonObject): string | undefined {
  if (type !== 'text' || typeof data !== 'string' || textLabel.test(data)) return undefined
  return `data:text/plain;charset=utf-8,${toPercent(data)}`
}

/** Percent-encodes text. Lone surrogates, which no URL can contain, become replacement characters. */
function toPercent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'))
}

function toAttachment(block: JsonObject): JsonObject {
  const data: JsonValue = block
  return { type: 'data-attachment', data }
}
