import {
  createEnvelopeDecoder,
  type Envelope,
  createDecoder,
  objectsIn,
  type StreamEvent,
} from '../../events/index.ts'
import type { LogFormat, FormatFrame, FormatOpening, EventWriter, StreamEnd } from './log-format.ts'

/** Writes the log of a session in a format. */
export interface FormatWriter {
  /** Returns the frames of a line of the log. */
  writeLine(line: string, id: number, span: number): readonly FormatFrame[]
  /** Returns the frames of a parsed frame. */
  write(frame: Envelope, id: number): readonly FormatFrame[]
  /** Returns the frames that close the stream. */
  finish(end: StreamEnd): readonly FormatFrame[]
}

/** Opens a writer for the log of a session with this root agent. */
export function openFormat(format: LogFormat, root: string, opening?: FormatOpening): FormatWriter {
  if (format.reads === 'events') return writeEvents(format.open(root, opening), opening?.baseUrl)
  const writer = format.open(root, opening)
  const decode = createEnvelopeDecoder()
  return {
    writeLine(line, id, span) {
      const frame = decode(line)
      return writer.write(span === 1 ? frame : { ...frame, span }, id)
    },
    write: (frame, id) => writer.write(frame, id),
    finish: (end) => writer.finish(end),
  }
}

function writeEvents(writer: EventWriter, baseUrl = ''): FormatWriter {
  const decoder = createDecoder()
  const write = (event: StreamEvent | undefined): readonly FormatFrame[] =>
    event === undefined ? [] : writer.write(baseUrl === '' ? event : withAddresses(event, baseUrl))
  return {
    writeLine: (line, id, span) => write(decoder.decode(line, id, span)),
    write: (frame, id) => write(decoder.decodeFrame(frame, id)),
    finish: (end) => writer.finish(end),
  }
}

/** Adds the address of the server to the files of an event. */
function withAddresses(event: StreamEvent, baseUrl: string): StreamEvent {
  if (event.type === 'tool_result_image') return { ...event, src: toAddress(event.src, baseUrl) }
  if (event.type !== 'files') return event
  const files = objectsIn(event.payload['files']).map((file) => {
    const { storage_location: place } = file
    return typeof place === 'string'
      ? { ...file, storage_location: toAddress(place, baseUrl) }
      : file
  })
  return { ...event, payload: { ...event.payload, files } }
}

const storedFile = /^\/agent\/[\w-]+\/(?:images|files)\//

function toAddress(place: string, baseUrl: string): string {
  return storedFile.test(place) ? baseUrl + place : place
}
