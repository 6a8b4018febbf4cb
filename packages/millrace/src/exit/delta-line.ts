import { encodeEnvelope, type Extras } from '../envelope/index.ts'

/** Stands before the delta in every line that is not final; no field before it can hold these bytes. [ENV-2] */
const BEFORE_DELTA = '"final":false,"delta":'
const EMPTY = '""'
/** A line of this part of the limit fits whatever is in it: a UTF-16 unit takes at most three bytes. */
const MAX_BYTES_PER_UNIT = 3

/** What the pieces of one block have in common. */
export interface PieceHead {
  readonly type: string
  readonly agent: string
  readonly extras: Extras
}

/** What the lines of one block are made from. */
interface DeltaLineOptions extends PieceHead {
  readonly maxBytes: number
}

/**
 * Prepares the lines of a block that is sent in pieces: the fields around the delta are encoded once, not for
 * every token. Gives undefined for a piece that may not fit.
 */
export function createDeltaLine(options: DeltaLineOptions): (delta: string) => string | undefined {
  const { type, agent, extras, maxBytes } = options
  const template = encodeEnvelope({ ...extras, type, agent, final: false, delta: '' })
  const at = template.indexOf(BEFORE_DELTA) + BEFORE_DELTA.length
  const head = template.slice(0, at)
  const tail = template.slice(at + EMPTY.length)
  return (delta) => {
    if (delta.length > maxBytes) return undefined
    const line = head + JSON.stringify(delta) + tail
    return line.length * MAX_BYTES_PER_UNIT <= maxBytes ? line : undefined
  }
}
