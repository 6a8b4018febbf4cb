import { isRecording } from 'millrace-tools/recordings'
import { recognizeFormats } from 'millrace/dialects'
import { createProtocolFrames } from './protocol-frames.ts'
import { createProviderFrames } from './provider-frames.ts'
import { type ExchangeHead, readExchange } from './read-exchange.ts'
import { readDocument, readLines, readWholeDocument } from './read-lines.ts'
import { readSse } from './read-sse.ts'
import {
  type FrameTranslator,
  type ItemReader,
  notRecorded,
  type RecordedItem,
  unreadable,
} from './recorded-item.ts'

const sseLine = /^(?:data|event|id|retry)?:/

/** Options of reading a file. */
export interface ReadRecordingOptions {
  readonly name: string
  /** Called with each frame. */
  readonly onFrame: (frame: RecordedItem) => void
  /** Called with the part that was read, from 0 to 1. */
  readonly onProgress?: (part: number) => void
  /** Yields to the page. */
  readonly pause?: () => Promise<void>
  readonly signal?: AbortSignal
  readonly maxBytes?: number
}

/** The number of bytes that are read at a time. */
const SLICE_BYTES = 256 * 1024
/** The number of bytes that the format is recognized by. */
const HEAD_BYTES = 64 * 1024

const kinds =
  'an exported session (.sse or .json), one message per line, a recording of `millrace record`, or a stream of server-sent events of Anthropic, OpenAI, the AI SDK, AG-UI, segments or legacy XML'

/**
 * Reads a file into frames in slices. Rejects with a message for the user if the format is unknown. Returns the name of
 * the format if the frames are converted from another one.
 */
export async function readRecording(
  file: Blob,
  { name, onFrame, onProgress, pause = nothing, signal, maxBytes = 256e6 }: ReadRecordingOptions,
): Promise<string | undefined> {
  if (file.size === 0) throw unreadable(name, 'it is empty.')
  if (file.size > maxBytes) {
    throw unreadable(name, `it is larger than ${Math.round(maxBytes / 1e6)} MB.`)
  }
  const form = recognizeFile(await file.slice(0, HEAD_BYTES).text())
  if (!form)
    throw notRecorded(name, `it does not look like a recording. Supported files: ${kinds}.`)
  const writer = new FrameWriter(name, onFrame)
  const reader = readers[form](name, writer.setHead)
  const utf8 = new TextDecoder()
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    const slice = await file.slice(start, start + SLICE_BYTES).arrayBuffer()
    signal?.throwIfAborted()
    writer.take(reader.feed(utf8.decode(slice, { stream: true })))
    onProgress?.(Math.min(1, (start + SLICE_BYTES) / file.size))
    await pause()
  }
  writer.take(reader.finish())
  // A reformatted document does not have one message per line.
  if (form === 'document' && writer.isEmpty) writer.take(readWholeDocument(await file.text(), name))
  return writer.finish()
}

const nothing = (): Promise<void> => Promise.resolve()

const readers: Readonly<
  Record<FileForm, (name: string, onHead: (head: ExchangeHead) => void) => ItemReader>
> = {
  sse: readSse,
  lines: readLines,
  document: readDocument,
  exchange: readExchange,
}

/** A format that is converted. */
interface OtherFormat {
  readonly title: string
  readonly translate: (head: ExchangeHead) => FrameTranslator
}

const otherFormats: Readonly<Record<string, OtherFormat | undefined>> = {
  __proto__: null as never,
  anthropic: {
    title: 'A stream of Anthropic’s API',
    translate: (head) => createProviderFrames('anthropic', head),
  },
  openai: {
    title: 'A stream of OpenAI’s API',
    translate: (head) => createProviderFrames('openai', head),
  },
  'ai-sdk': { title: 'An AI SDK stream', translate: () => createProtocolFrames('ai-sdk') },
  'ag-ui': { title: 'An AG-UI stream', translate: () => createProtocolFrames('ag-ui') },
  segments: { title: 'A stream of segments', translate: () => createProtocolFrames('segments') },
  xml: { title: 'A legacy XML stream', translate: () => createProtocolFrames('xml') },
}

/** Passes frames on, converted if they have another format. */
class FrameWriter {
  readonly #name: string
  readonly #onFrame: (frame: RecordedItem) => void
  #head: ExchangeHead
  #translated: FrameTranslator | undefined
  #title: string | undefined
  #count = 0

  constructor(name: string, onFrame: (frame: RecordedItem) => void) {
    this.#name = name
    this.#onFrame = onFrame
    this.#head = { prompt: name, time: 0 }
  }

  readonly setHead = (head: ExchangeHead): void => {
    this.#head = head
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  take(items: readonly RecordedItem[]): void {
    for (const item of items) {
      if (this.#count++ === 0) this.#recognize(item)
      if (this.#translated) this.#translated.take(item).forEach(this.#onFrame)
      else this.#onFrame(item)
    }
  }

  /** Returns the name of the converted format. */
  finish(): string | undefined {
    if (this.#count === 0) throw unreadable(this.#name, 'it contains no messages.')
    this.#translated?.finish().forEach(this.#onFrame)
    return this.#title
  }

  #recognize({ data }: RecordedItem): void {
    const [form] = recognizeFormats(data)
    if (form === undefined) {
      const shown = JSON.stringify(data.slice(0, 60))
      throw notRecorded(this.#name, `its first message has an unknown format: ${shown}.`)
    }
    const other = otherFormats[form]
    this.#title = other?.title
    this.#translated = other?.translate(this.#head)
  }
}

/** Layout of a file. */
type FileForm = 'sse' | 'lines' | 'document' | 'exchange'

/** Recognizes the layout of a file by its beginning; undefined for other files. */
function recognizeFile(beginning: string): FileForm | undefined {
  const text = beginning.replace(/^\ufeff/, '').trimStart()
  const firstLine = text.split('\n', 1)[0] ?? ''
  if (sseLine.test(text)) return 'sse'
  if (!text.startsWith('{')) return undefined
  if (isRecording(firstLine) || /^\{\s*"recording"\s*:/.test(firstLine)) return 'exchange'
  return /^\{\s*"session"\s*:/.test(text) ? 'document' : 'lines'
}
