import { readFile, stat } from 'node:fs/promises'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** Where the header has the size of a page, and where it and each frame have the mark of this use of the file. */
const PAGE_SIZE_AT = 8
const MARK_AT = { header: 16, frame: 8 }
const MARK_BYTES = 8

/** The length of a file. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size
}

/** How much of a log of SQLite is in use: it is written over from the start, and what is left of before means nothing. */
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
