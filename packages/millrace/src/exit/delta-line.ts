import { encodeEnvelope, type Extras } from '../envelope/index.ts'

/** The text before the delta in every line that is not final; no earlier field can contain it. [ENV-2] */
const BEFORE_DELTA = '"final":false,"delta":'
const EMPTY = '""'
/** A UTF-16 unit takes at most three bytes, so shorter lines fit with any content. */
const MAX_BYTES_PER_UNIT = 3

/** The fields that the frames of one block share. */
export interface PieceHead {
  readonly type: string
  readonly agent: string
  readonly extras: Extras
}

/** The shared fields and the limit of a block's lines. */
interface DeltaLineOptions extends PieceHead {
  readonly maxBytes: number
}

/**
 * Creates the lines of a streamed block. The fields around the delta are encoded once, not for every token. Returns undefined for a delta
 * that may not fit.
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
