import { createEnvelopeDecoder, type Envelope } from '../../envelope/index.ts'
import { createDecoder, type StreamEvent } from '../../events/index.ts'
import type { Dialect, DialectFrame, DialectOpening, EventWriter, StreamEnd } from './dialect.ts'

/** Writes the log of a session in a format. */
export interface DialectWriter {
  /** Returns the frames of a line of the log. */
  writeLine(line: string, id: number, span: number): readonly DialectFrame[]
  /** Returns the frames of a parsed frame. */
  write(frame: Envelope, id: number): readonly DialectFrame[]
  /** Returns the frames that close the stream. */
  finish(end: StreamEnd): readonly DialectFrame[]
}

/** Opens a writer for the log of a session with this root agent. */
export function openDialect(
  dialect: Dialect,
  root: string,
  opening?: DialectOpening,
): DialectWriter {
  if (dialect.reads === 'events') return writeEvents(dialect.open(root, opening))
  const writer = dialect.open(root, opening)
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

function writeEvents(writer: EventWriter): DialectWriter {
  const decoder = createDecoder()
  const write = (event: StreamEvent | undefined): readonly DialectFrame[] =>
    event === undefined ? [] : writer.write(event)
  return {
    writeLine: (line, id, span) => write(decoder.decode(line, id, span)),
    write: (frame, id) => write(decoder.decodeFrame(frame, id)),
    finish: (end) => writer.finish(end),
  }
}
