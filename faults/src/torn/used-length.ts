import { readFile, stat } from 'node:fs/promises'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Positions of the page size in the header, and of the salt in it and in each frame. */
const PAGE_SIZE_AT = 8
const MARK_AT = { header: 16, frame: 8 }
const MARK_BYTES = 8

/** The length of a file. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size
}

/** The used length of a log of SQLite: it is overwritten from the start, and older data after that is invalid. */
export async function usedLength(path: string): Promise<number> {
  const bytes = await readFile(path)
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(PAGE_SIZE_AT)
  const mark = bytes.subarray(MARK_AT.header, MARK_AT.header + MARK_BYTES)
  let end = HEADER_BYTES
  const isUsed = (): boolean => {
    const from = end + MARK_AT.frame
    return bytes.subarray(from, from + MARK_BYTES).equals(mark)
  }
  while (end + frameBytes <= bytes.length && isUsed()) end += frameBytes
  return end
}
