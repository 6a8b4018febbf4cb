import { typesWith } from '../../events/index.ts'
import { deltaStart, hasAt, spanBytes, type SpannedLine } from './line-bytes.ts'
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** First bytes of the lines whose deltas may be merged: incremental blocks and live tool input. */
const growing = typesWith('grows').map((type) => encoder.encode(`{"type":"${type}","agent":"`))
const MORE_FIELD = '"more":'

/** Frames merged into one. They differ only in their deltas. */
interface Merger {
  /** The first line; the bytes around its delta are the same in all. */
  readonly line: Uint8Array
  readonly from: number
  readonly to: number
  readonly deltas: Uint8Array[]
  readonly first: SpannedLine
  id: number
  span: number
  bytes: number
}

/**
 * Merges consecutive deltas of a block up to the line limit. Decodes nothing: the JSON text of two concatenated strings is the
 * concatenation of their JSON texts. [LOG-5]
 */
export function mergeDeltas(
  messages: readonly SpannedLine[],
  maxLineBytes: number,
): readonly SpannedLine[] {
  const merged: SpannedLine[] = []
  let merger: Merger | undefined
  for (const message of messages) {
    if (merger !== undefined && extend(merger, message, maxLineBytes)) continue
    if (merger !== undefined) merged.push(toMessage(merger))
    merger = begin(message)
    if (merger === undefined) merged.push(message)
  }
  if (merger !== undefined) merged.push(toMessage(merger))
  return merged
}

/** Begins a merge; undefined if the frame cannot be merged. */
function begin(message: SpannedLine): Merger | undefined {
  const { id, span, line } = message
  if (!growing.some((start) => hasAt(line, start, 0))) return undefined
  const from = deltaStart(line)
  const to = endOfString(line, from)
  if (to === -1 || decoder.decode(line.subarray(to)).includes(MORE_FIELD)) return undefined
  const deltas = [line.subarray(from, to)]
  return { first: message, line, from, to, deltas, id, span, bytes: line.length }
}

/** Adds a frame; false if it has another block or other fields, or does not fit. */
function extend(merger: Merger, { id, line }: SpannedLine, maxLineBytes: number): boolean {
  const { line: first, from, to } = merger
  if (!hasAt(line, first.subarray(0, from), 0)) return false
  const end = endOfString(line, from)
  const tail = first.subarray(to)
  if (end === -1 || line.length - end !== tail.length || !hasAt(line, tail, end)) return false
  const bytes = merger.bytes + end - from
  // The span includes frames in between that the reader is not sent.
  const span = id - (merger.id - merger.span)
  if (bytes + spanBytes(span) > maxLineBytes) return false
  merger.deltas.push(line.subarray(from, end))
  merger.bytes = bytes
  merger.span = span
  merger.id = id
  return true
}

function toMessage({ first, line, from, to, deltas, id, span, bytes }: Merger): SpannedLine {
  if (deltas.length === 1) return first
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const part of [line.subarray(0, from), ...deltas, line.subarray(to)]) {
    whole.set(part, at)
    at += part.length
  }
  return { id, span, line: whole }
}

/** Returns the offset of the quote that ends a JSON string; -1 if there is none. */
function endOfString(line: Uint8Array, from: number): number {
  if (from === -1) return -1
  for (let at = from; at < line.length; at++) {
    if (line[at] === QUOTE) return at
    if (line[at] === BACKSLASH) at++
  }
  return -1
}
