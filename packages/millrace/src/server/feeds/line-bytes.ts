import { HIDDEN_TYPE } from '../../events/index.ts'
import { frameLines, type IdentifiedLine } from '../../sse/index.ts'

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

/** A line for one reader, and the number of log frames that it stands for; its id is that of the last one. [LOG-5] [LOG-7] */
export interface SpannedLine extends IdentifiedLine {
  readonly span: number
}

/** The field inserted before the closing brace of a line. */
function spanField(span: number): string {
  return `,"span":${span}}`
}

/** Bytes that the span field adds to a line. */
export function spanBytes(span: number): number {
  return span === 1 ? 0 : spanField(span).length - 1
}

/** Creates a placeholder for hidden frames that no visible frame can stand for. [LOG-8] */
export function toPlaceholder(root: string, id: number, span: number): SpannedLine {
  const placeholder = { type: HIDDEN_TYPE, agent: root, final: true, delta: '' }
  return { id, span, line: encoder.encode(JSON.stringify(placeholder)) }
}

interface FramingOptions {
  readonly session: string
  /** The id of the root agent; the session's if absent. */
  readonly root?: string
  readonly maxLineBytes: number
  readonly log?: string
  /** Whether frame ids name the log. */
  readonly hasLogInIds?: boolean
}

/** Encodes lines as one chunk. No line exceeds the limit. */
export function frameSpans(
  messages: readonly SpannedLine[],
  { session, root = session, maxLineBytes, log, hasLogInIds }: FramingOptions,
): Uint8Array {
  const lines = messages.flatMap((message): readonly IdentifiedLine[] => {
    const { id, line, span } = message
    if (span === 1) return [message]
    if (line.length + spanBytes(span) <= maxLineBytes) return [withSpan(message)]
    return [withSpan(toPlaceholder(root, id - 1, span - 1)), { id, line }]
  })
  return frameLines(lines, hasLogInIds === true && log !== undefined ? `@${log}` : '')
}

function withSpan({ id, line, span }: SpannedLine): IdentifiedLine {
  if (span === 1) return { id, line }
  const field = encoder.encode(spanField(span))
  const longer = new Uint8Array(line.length - 1 + field.length)
  longer.set(line.subarray(0, -1))
  longer.set(field, line.length - 1)
  return { id, line: longer }
}

/** The most bytes of UTF-8 that one UTF-16 code unit takes. */
const MAX_BYTES_PER_UNIT = 3

/**
 * Allocates small byte arrays from larger blocks. An ArrayBuffer for each would cost more, mostly in garbage collection, than all
 * other work on it. An array keeps its block in memory, so arrays from one pool should have similar lifetimes.
 */
export class BytePool {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #used = 0

  constructor(blockBytes = 4_096) {
    this.#blockBytes = blockBytes
  }

  /** The block of the last {@link reserve}. */
  get block(): Uint8Array {
    return this.#block
  }

  /** Reserves bytes and returns their offset in {@link block}. Large arrays get a block of their own. */
  reserve(length: number): number {
    if (length > this.#block.length - this.#used) {
      const isLarge = length > this.#blockBytes / 2
      this.#block = new Uint8Array(isLarge ? length : this.#blockBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    return start
  }

  encode(text: string): Uint8Array {
    const room = text.length * MAX_BYTES_PER_UNIT
    if (room > this.#blockBytes / 2) return encoder.encode(text)
    const start = this.reserve(room)
    const block = this.#block
    const end = start + encoder.encodeInto(text, block.subarray(start)).written
    this.#used = end
    return block.subarray(start, end)
  }
}
