import { utf8Length } from '../../text/index.ts'

/** Marks each frame of an item except the last. [CHUNK-5] */
const ITEM_CONTINUES = ',"more":{"delta":"text"}'

/** Composes the frames of one block within their limit. */
export interface Line {
  readonly maxBytes: number
  /** The field that marks an incomplete item; empty for blocks. */
  readonly marker: string
  /** Buffer for the encoded delta, reused for each frame. */
  readonly scratch: Uint8Array
  /** Returns the bytes left for `delta` besides encoded extra fields. */
  room(fields: string): number
  /** Returns the line for an escaped delta and encoded extra fields. */
  compose(final: boolean, escapedDelta: string, fields: string): string
}

/** Creates the lines of one block or item. */
export function createLine(type: string, agent: string, maxBytes: number, isItem: boolean): Line {
  const head = `{"type":${JSON.stringify(type)},"agent":${JSON.stringify(agent)},"final":`
  const fixedBytes = utf8Length(`${head}false,"delta":""}`)
  return {
    maxBytes,
    marker: isItem ? ITEM_CONTINUES : '',
    scratch: new Uint8Array(maxBytes),
    room: (fields) => maxBytes - fixedBytes - utf8Length(fields),
    compose: (final, escapedDelta, fields) =>
      `${head}${String(final)},"delta":"${escapedDelta}"${fields}}`,
  }
}
