import { storeDamaged } from '../file/store-errors.ts'

/** Four bytes before each line hold its length. */
const headBytes = 4

/** Returns the number of bytes that {@link writeLines} needs. */
export function sizeOfLines(lines: readonly Uint8Array[]): number {
  let size = 0
  for (const line of lines) size += headBytes + line.length
  return size
}

/** Writes lines, each after its length, and returns the end offset. */
export function writeLines(
  target: Uint8Array,
  start: number,
  lines: readonly Uint8Array[],
): number {
  let offset = start
  for (const line of lines) {
    putNumber(target, offset, line.length)
    target.set(line, offset + headBytes)
    offset += headBytes + line.length
  }
  return offset
}

/** Writes a number as four bytes, little-endian. */
export function putNumber(target: Uint8Array, offset: number, value: number): void {
  target[offset] = value
  target[offset + 1] = value >>> 8
  target[offset + 2] = value >>> 16
  target[offset + 3] = value >>> 24
}

/** Reads a number that {@link putNumber} wrote. */
export function numberIn(source: Uint8Array, offset: number): number {
  const low = source[offset]! | (source[offset + 1]! << 8) | (source[offset + 2]! << 16)
  return (low | (source[offset + 3]! << 24)) >>> 0
}

/** Returns the end of the line whose length is at an offset. */
export function lineEndAt(source: Uint8Array, offset: number): number {
  return offset + headBytes + numberIn(source, offset)
}

/** Reads `count` or all lines, without copying their bytes. */
export function readLines(source: Uint8Array, start: number, count = Infinity) {
  const lines: Uint8Array[] = []
  let offset = start
  while (lines.length < count && offset < source.length) {
    const from = offset + headBytes
    const to = from <= source.length ? lineEndAt(source, offset) : Infinity
    if (to > source.length) throw storeDamaged('a page of frames ends too early')
    lines.push(new Uint8Array(source.buffer, source.byteOffset + from, to - from))
    offset = to
  }
  if (count !== Infinity && lines.length < count) throw storeDamaged('messages are missing')
  return { lines, end: offset }
}

/** Decodes the lines of a page. */
export function decodePage(bytes: Uint8Array): readonly Uint8Array[] {
  return readLines(bytes, 0).lines
}
