/** The bounds of a parser: what model text can make it keep or do. Sizes are in UTF-16 units. */
export interface SegmentLimits {
  /** The longest opening tag; a longer one is text. */
  readonly maxOpener: number
  /** The longest JSON header of a sentinel or name header of a call; a longer one is text. */
  readonly maxHeader: number
  /** How far JSON or a list of calls without a marker is looked into before it is text. */
  readonly maxProbe: number
  /** White space looked across between a closing marker and what must follow it. */
  readonly maxSpace: number
  /** What may wait for the path or the name that comes after it, or for the end of its line. */
  readonly maxHeld: number
  /** Arguments besides the content that are kept for the end of a projected call. */
  readonly maxMetadata: number
  /** How deep JSON and wrappers may nest. */
  readonly maxDepth: number
  /** After this many calls in one stream, openers are text. */
  readonly maxCalls: number
}

/** The bounds where none are given. */
export const defaultLimits: SegmentLimits = {
  maxOpener: 1024,
  maxHeader: 8192,
  maxProbe: 1024,
  maxSpace: 256,
  maxHeld: 65_536,
  maxMetadata: 65_536,
  maxDepth: 128,
  maxCalls: 1000,
}

/** All bounds, with the defaults where none is given. */
export function toLimits(given: Partial<SegmentLimits> = {}): SegmentLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaultLimits, ...Object.fromEntries(set) }
}
