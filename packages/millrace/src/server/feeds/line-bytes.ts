const encoder = new TextEncoder()

/** The bytes before the delta of a line that is not final. No earlier field can contain them. [ENV-2] */
const BEFORE_DELTA = encoder.encode('","final":false,"delta":"')

/** Returns the offset of the delta after its quote; -1 if the line is final or has another field order. */
export function deltaStart(line: Uint8Array): number {
  for (let at = 0; at + BEFORE_DELTA.length <= line.length; at++) {
    if (line[at] === BEFORE_DELTA[0] && hasAt(line, BEFORE_DELTA, at)) {
      return at + BEFORE_DELTA.length
    }
  }
  return -1
}

/** Whether a line has these bytes at an offset. */
export function hasAt(line: Uint8Array, part: Uint8Array, at: number): boolean {
  if (at + part.length > line.length) return false
  for (let index = 0; index < part.length; index++) {
    if (line[at + index] !== part[index]) return false
  }
  return true
}
