import { crc32 } from 'node:zlib'
import type { Part } from '../store/index.ts'

/** The sum of a part also tells where it belongs, because it is found by an index, which may be damaged on its own. */
export function sumOfPart(
  session: number,
  { collection, number, frame }: Omit<Part, 'body'>,
  body: Uint8Array,
): number {
  return crc32(body, crc32(`${session} ${number} ${frame} ${collection}`))
}
