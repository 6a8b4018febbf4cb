import {
  blockKey,
  decodeEnvelope,
  type Envelope,
  traitsOf,
  isMillraceError,
  MillraceError,
  DONE_DATA,
  type SseEvent,
} from 'millrace'
import { checkFormat, firstLetter, readFrames } from './read-frames.ts'
import { connect, type Stage, CUT, DONE, type WireItem } from '../stage.ts'
import type { FormatReader } from 'millrace/dialects'
import {
  createLegacyXmlDecoder,
  createLegacyXmlTextDecoder,
  type LegacyXmlDecoder,
} from 'millrace/legacy-xml'

/** Reads JSON envelopes, as server-sent events or one per line. */
export function readJson(): Stage<Uint8Array, WireItem> {
  const frames = readFrames()
  const open = new Set<string>()
  let count = 0
  let isDone = false
  return connect(frames, {
    push({ data }: SseEvent): WireItem[] {
      isDone = data === DONE_DATA
      if (isDone) return [DONE]
      if (count++ === 0) checkFormat('json', data)
      const envelope = decodeFrame(data, count)
      track(open, envelope)
      return [envelope]
    },
    end() {
      // `[DONE]` belongs to the transport: a stored stream is complete if no block is open.
      const isKept = frames.isLines && !isDone && open.size === 0
      isDone ||= isKept
      return isKept ? [DONE] : []
    },
    notes: () => (isDone ? [] : [CUT]),
  })
}

function track(open: Set<string>, envelope: Envelope): void {
  if (traitsOf(envelope.type)?.isItem) return
  if (envelope.final) open.delete(blockKey(envelope))
  else open.add(blockKey(envelope))
}

function decodeFrame(data: string, count: number): Envelope {
  try {
    return decodeEnvelope(data)
  } catch (error) {
    if (!isMillraceError(error)) throw error
    throw new MillraceError(error.code, `Frame ${count} of the input: ${error.message}`)
  }
}

interface ReadFormatOptions {
  readonly format: string
  readonly reader: FormatReader
  /** Whether a stream that is stored as lines ends with them, without the end marker of the wire. */
  readonly endsWithLines?: boolean
}

/** Reads a stream of another format, as server-sent events or one event per line. */
export function readFormat({
  format,
  reader,
  endsWithLines = false,
}: ReadFormatOptions): Stage<Uint8Array, WireItem> {
  const frames = readFrames()
  let last: string | undefined
  let isCut = false

  function close(): readonly Envelope[] {
    const isKept = endsWithLines && frames.isLines && last !== DONE_DATA
    const rest = isKept ? reader.read({ data: DONE_DATA }) : []
    const end = reader.finish()
    isCut = end.some(({ type }) => type === 'error')
    return [...rest, ...end]
  }

  return connect(frames, {
    push({ data, event }: SseEvent): WireItem[] {
      if (last === undefined) checkFormat(format, data)
      last = data
      return [...reader.read(event === undefined ? { data } : { data, event })]
    },
    end: (): WireItem[] => [...close(), DONE],
    notes: () => (isCut ? [`The input was truncated: it has no end of ${format}.`] : []),
  })
}

/** Reads legacy XML: the data of server-sent events, or plain text, which begins with a tag. [XML-1] */
export function readXml(agent: string): Stage<Uint8Array, WireItem> {
  let reader: Stage<Uint8Array, WireItem> | undefined
  return {
    push(bytes) {
      const letter = reader === undefined ? firstLetter(bytes) : ''
      if (letter === undefined) return []
      reader ??= letter === '<' ? readText(agent) : connect(readFrames(), readMessages(agent))
      return reader.push(bytes)
    },
    end: () => reader?.end() ?? [],
    notes: () => reader?.notes?.() ?? [],
  }
}

/** Reads frames. `[DONE]` is the end only as the last frame; in an open block it is text. [XML-16] */
function readMessages(agent: string): Stage<SseEvent, WireItem> {
  const decoder = createLegacyXmlDecoder({ agent })
  let last: string | undefined
  return {
    push({ data }) {
      if (last === undefined) checkFormat('xml', data)
      last = data
      return decoder.feed(data)
    },
    end: (): WireItem[] => [...decoder.finish(), ...(last === DONE_DATA ? ([DONE] as const) : [])],
    notes: () => (last === DONE_DATA ? [] : [CUT]),
  }
}

/** Reads plain text, in which only an open block, or text outside of blocks, shows a truncation. */
function readText(agent: string): Stage<Uint8Array, WireItem> {
  const decoder: LegacyXmlDecoder = createLegacyXmlTextDecoder({ agent })
  const utf8 = new TextDecoder()
  let isOpen = false
  const decode = (text: string): Envelope[] => (text === '' ? [] : decoder.feed(text))
  return {
    push: (bytes) => decode(utf8.decode(bytes, { stream: true })),
    end() {
      const last = decode(utf8.decode())
      const rest = decoder.finish()
      isOpen = rest.length > 0
      return [...last, ...rest, DONE]
    },
    notes: () => (isOpen ? ['The input ends within a block; it may be truncated.'] : []),
  }
}
