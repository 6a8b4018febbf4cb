import { storeDamaged } from './store-errors.ts'

/** Four bytes before each line say how long it is. */
const headBytes = 4

/** How many bytes {@link writeLines} needs. */
export function sizeOfLines(lines: readonly Uint8Array[]): number {
  let size = 0
  for (const line of lines) size += headBytes + line.length
  return size
}

/** Writes lines one after the other, each with its length; gives where they end. */
export function writeLines(
  target: Uint8Array,
  start: number,
  lines: readonly Uint8Array[],
): number {
  const view = new DataView(target.buffer, target.byteOffset)
  let offset = start
  for (const line of lines) {
    view.setUint32(offset, line.length, true)
    target.set(line, offset + headBytes)
    offset += headBytes + line.length
  }
  return offset
}

/** Lines that were found, and where they end. */
export interface FoundLines {
  readonly lines: readonly Uint8Array[]
  readonly end: number
}

/** Reads a number of lines, or all; they share the memory of what they are read from. */
export function readLines(source: Uint8Array, start: number, count = Infinity): FoundLines {
  const view = new DataView(source.buffer, source.byteOffset)
  const lines: Uint8Array[] = []
  let offset = start
  while (lines.length < count && offset < source.length) {
    const from = offset + headBytes
    const to = from <= source.length ? from + view.getUint32(offset, true) : Infinity
    if (to > source.length) throw storeDamaged('a page of messages ends too early')
    lines.push(new Uint8Array(source.buffer, source.byteOffset + from, to - from))
    offset = to
  }
  if (count !== Infinity && lines.length < count) throw storeDamaged('messages are missing')
  return { lines, end: offset }
}

/** The bytes of one page of messages. */
export function encodePage(lines: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(sizeOfLines(lines))
  writeLines(bytes, 0, lines)
  return bytes
}

/** Reads what {@link encodePage} wrote. */
export function decodePage(bytes: Uint8Array): readonly Uint8Array[] {
  return readLines(bytes, 0).lines
}
