const encoder = new TextEncoder()
const BEFORE_ID = encoder.encode('id: ')
const BEFORE_LINE = encoder.encode('\ndata: ')
const LINE_FEED = 0x0a
const END = encoder.encode('\n\n')
const END_LENGTH = 2
const ZERO = 0x30

/** An encoded envelope line and its id. */
export interface IdentifiedLine {
  readonly id: number
  readonly line: Uint8Array
}

/** Returns the number of bytes that {@link writeFrame} writes. */
export function frameLength(id: number, line: Uint8Array): number {
  return headLength(id) + line.length + END_LENGTH
}

/**
 * Writes an encoded envelope line as `id: N`, `data: LINE` and a blank line, without decoding it. Returns the end
 * position. [SSE-2] The line must not contain CR or LF; compact JSON never does.
 */
export function writeFrame(id: number, line: Uint8Array, into: Uint8Array, start: number): number {
  let at = putBytes(BEFORE_ID, into, start)
  at = putDigits(id, into, at)
  at = putBytes(BEFORE_LINE, into, at)
  into.set(line, at)
  at += line.length
  into[at++] = LINE_FEED
  into[at++] = LINE_FEED
  return at
}

/** Encodes lines as frames in one buffer; the suffix is appended to each id. */
export function frameLines(lines: readonly IdentifiedLine[], suffix = ''): Uint8Array {
  if (suffix !== '') return frameNamedLines(lines, suffix)
  let length = 0
  for (const { id, line } of lines) length += frameLength(id, line)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { id, line } of lines) at = writeFrame(id, line, bytes, at)
  return bytes
}

function frameNamedLines(lines: readonly IdentifiedLine[], suffix: string): Uint8Array {
  const parts = lines.flatMap(({ id, line }) => [
    encoder.encode(`id: ${id}${suffix}\ndata: `),
    line,
    END,
  ])
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Returns the line of a frame that {@link writeFrame} has written, as a view of the same bytes. */
export function lineOfFrame(id: number, frame: Uint8Array): Uint8Array {
  return frame.subarray(headLength(id), frame.length - END_LENGTH)
}

function headLength(id: number): number {
  return BEFORE_ID.length + countDigits(id) + BEFORE_LINE.length
}

function countDigits(id: number): number {
  let digits = 1
  for (let bound = 10; id >= bound; bound *= 10) digits++
  return digits
}

// Copies in a loop: for a few bytes, a call of `set` takes ten times as long.
function putBytes(bytes: Uint8Array, into: Uint8Array, start: number): number {
  for (let index = 0; index < bytes.length; index++) into[start + index] = bytes[index]!
  return start + bytes.length
}

function putDigits(id: number, into: Uint8Array, start: number): number {
  const end = start + countDigits(id)
  let rest = id
  for (let at = end - 1; at >= start; at--) {
    const digit = rest % 10
    into[at] = ZERO + digit
    rest = (rest - digit) / 10
  }
  return end
}
