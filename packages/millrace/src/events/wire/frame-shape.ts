import type { Envelope } from '../../envelope/index.ts'

const DELTA = '"delta":"'

/** The text around the delta of frames that continue one block. It does not change while the block is open. */
export interface FrameShape<Block> {
  /** Up to and including the quote that opens `delta`. */
  readonly prefix: string
  /** From the quote that closes `delta`. */
  readonly suffix: string
  readonly block: Block
}

/** Returns the shape of a frame, or undefined if another writer wrote its fields in another order or form. [ENV-2] */
export function toShape<Block>(
  line: string,
  { type, agent, delta, final, more, span }: Envelope,
  block: Block,
): FrameShape<Block> | undefined {
  if (final || more !== undefined || span !== undefined) return undefined
  const prefix = JSON.stringify({ type, agent, final, delta: '' }).slice(0, -2)
  const end = prefix.length + JSON.stringify(delta).length - 2
  const suffix = line.slice(end)
  const isExact = line === prefix + JSON.stringify(delta).slice(1, -1) + suffix
  return isExact && !suffix.includes(DELTA) && suffix.startsWith('"')
    ? { prefix, suffix, block }
    : undefined
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
