const encoder = new TextEncoder()
const LINE_FEED = 0x0a
/** `id: ` and `\ndata: ` before a line, without the digits between them. */
const HEAD_LENGTH = 11
const END_LENGTH = 2

/** An encoded envelope line and the id that it is sent under. */
export interface IdentifiedLine {
  readonly id: number
  readonly line: Uint8Array
}

/** Frames that follow one another, as one piece. */
export interface Frames {
  readonly bytes: Uint8Array
  /** Where each of them ends. */
  readonly ends: readonly number[]
}

/**
 * Wraps encoded envelope lines into `id: N`, `data: LINE` and a blank line each, without decoding them. [SSE-2]
 * The lines must hold no CR or LF, as compact JSON never does.
 */
export function frameLines(lines: readonly IdentifiedLine[]): Frames {
  const heads = lines.map(({ id }) => `id: ${id}\ndata: `)
  const ends: number[] = []
  let length = 0
  lines.forEach(({ line }, index) => {
    length += (heads[index]?.length ?? 0) + line.length + END_LENGTH
    ends.push(length)
  })
  const bytes = new Uint8Array(length)
  let at = 0
  lines.forEach(({ line }, index) => {
    at += encoder.encodeInto(heads[index] ?? '', bytes.subarray(at)).written
    bytes.set(line, at)
    at += line.length
    bytes.fill(LINE_FEED, at, (at += END_LENGTH))
  })
  return { bytes, ends }
}

/** The line in a frame that {@link frameLines} has made, as a view of the same bytes. */
export function lineOfFrame(id: number, frame: Uint8Array): Uint8Array {
  return frame.subarray(HEAD_LENGTH + String(id).length, frame.length - END_LENGTH)
}
