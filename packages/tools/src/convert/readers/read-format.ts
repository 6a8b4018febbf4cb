import type { FormatReader } from 'millrace/dialects'
import { type Envelope, DONE_DATA, type SseEvent } from 'millrace'
import { readFrames } from './read-frames.ts'
import { checkFormat } from '../check-format.ts'
import { connect, type Stage, DONE, type WireItem } from '../stage.ts'

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
