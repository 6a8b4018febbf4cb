import type { Envelope } from '../envelope/envelope.ts'

const DELTA = '"delta":"'

/** The text around the delta of frames that differ in nothing else. */
export interface FrameShape<Block> {
  /** Up to and including the quote that opens `delta`. */
  readonly prefix: string
  /** From the quote that closes `delta`. */
  readonly suffix: string
  /** One of the frames. */
  readonly frame: Envelope
  /** The block that the latest of them belongs to. */
  block: Block
}

/** Returns the shape of a frame, or undefined if another writer wrote its fields in another order or form. [ENV-2] */
export function toShape<Block>(
  line: string,
  frame: Envelope,
  block: Block,
): FrameShape<Block> | undefined {
  const { type, agent, delta, final, more, span } = frame
  if (final || more !== undefined || span !== undefined) return undefined
  // Made from the frame, as a part of a line with characters beyond Latin 1 would have two bytes for each.
  const prefix = JSON.stringify({ type, agent, final, delta: '' }).slice(0, -2)
  const start = prefix + JSON.stringify(delta).slice(1)
  if (line.indexOf(start) !== 0) return undefined
  const suffix = line.slice(start.length - 1)
  return suffix.includes(DELTA) ? undefined : { prefix, suffix, frame, block }
}

/** Reads the delta of a frame of a shape, which takes a third of the time of parsing it; undefined for another frame. */
export function readDelta(
  { prefix, suffix }: FrameShape<unknown>,
  line: string,
): string | undefined {
  // `startsWith` takes 400 ns where one text is of bytes and the other is not.
  if (line.indexOf(prefix) !== 0 || !line.endsWith(suffix)) return undefined
  try {
    return JSON.parse(line.slice(prefix.length - 1, line.length - suffix.length + 1)) as string
  } catch {
    return undefined
  }
}
