import { utf8Length } from '../text/index.ts'

/** Says on each message but the last of an item that the item goes on. [CHUNK-5] */
const ITEM_GOES_ON = ',"more":{"delta":"text"}'

/** Puts encoded messages of one block together and knows how much room they leave. */
export interface Line {
  readonly maxBytes: number
  /** What a message must carry to say that an item is not whole yet; empty for blocks. */
  readonly marker: string
  /** Room for one encoded piece, reused from piece to piece. */
  readonly scratch: Uint8Array
  /** Bytes left for `delta` beside encoded extra fields. */
  room(fields: string): number
  /** The whole line, from an escaped delta and encoded extra fields. */
  compose(final: boolean, escapedDelta: string, fields: string): string
}

/** Prepares the lines of one block or item. */
export function createLine(type: string, agent: string, maxBytes: number, isItem: boolean): Line {
  const head = `{"type":${JSON.stringify(type)},"agent":${JSON.stringify(agent)},"final":`
  const fixedBytes = utf8Length(`${head}false,"delta":""}`)
  return {
    maxBytes,
    marker: isItem ? ITEM_GOES_ON : '',
    scratch: new Uint8Array(maxBytes),
    room: (fields) => maxBytes - fixedBytes - utf8Length(fields),
    compose: (final, escapedDelta, fields) =>
      `${head}${String(final)},"delta":"${escapedDelta}"${fields}}`,
  }
}
