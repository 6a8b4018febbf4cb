import fc from 'fast-check'
import type { LogFormat, FormatFrame } from '../../../src/protocols/port/log-format.ts'
import { type FormatWriter, openFormat } from '../../../src/protocols/port/open-format.ts'
import { decodeEnvelope, type Envelope, createEnvelopeWriter } from '../../../src/events/index.ts'
import { mergeDeltas } from '../../../src/server/feeds/merge-deltas.ts'
import { anyMove, playRun } from '../agents/any-run.ts'

/** An envelope of a log with its id. */
export interface LoggedMessage {
  readonly id: number
  readonly envelope: Envelope
}

/** The log of a run of two agents; the first that emits a frame is the root. */
export interface PlayedLog {
  readonly root: string
  readonly messages: readonly LoggedMessage[]
  /** The same with deltas merged, as for a reader that catches up. [LOG-5] */
  readonly merged: readonly LoggedMessage[]
}

/** The limit of the lines in {@link anyLog}. */
export const MAX_BYTES = 600

/** Any log of a valid run, whose frames are cut by a small limit. */
export const anyLog: fc.Arbitrary<PlayedLog> = fc
  .record({ moves: fc.array(anyMove, { minLength: 1, maxLength: 50 }), isLive: fc.boolean() })
  .map(({ moves, isLive }) => {
    const { events } = playRun(moves, isLive)
    const writer = createEnvelopeWriter({
      maxBytes: MAX_BYTES,
      toolInput: isLive ? 'live' : 'buffered',
    })
    const lines = events.flatMap((event) => writer.write(event))
    return {
      root: events[0]?.agent ?? '',
      messages: lines.map((line, index) => ({ id: index + 1, envelope: decodeEnvelope(line) })),
      merged: mergeLines(lines),
    }
  })

function mergeLines(lines: readonly string[]): readonly LoggedMessage[] {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const spanned = lines.map((line, at) => ({ id: at + 1, span: 1, line: encoder.encode(line) }))
  return mergeDeltas(spanned, MAX_BYTES).map(({ id, span, line }) => {
    const envelope = decodeEnvelope(decoder.decode(line))
    return { id, envelope: span === 1 ? envelope : { ...envelope, span } }
  })
}

/** Writes envelopes, and returns the frames of each. */
export function writeAll(
  writer: FormatWriter,
  messages: readonly LoggedMessage[],
): readonly (readonly FormatFrame[])[] {
  return messages.map(({ envelope, id }) => writer.write(envelope, id))
}

/** All frames of a log in a format, up to its end. */
export function toFrames(
  format: LogFormat,
  { root }: Pick<PlayedLog, 'root'>,
  messages: readonly LoggedMessage[],
): readonly FormatFrame[] {
  const writer = openFormat(format, root, { maxLineBytes: MAX_BYTES })
  return [...writeAll(writer, messages).flat(), ...writer.finish('done')]
}
