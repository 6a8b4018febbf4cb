/** The bounds of a parser on the memory and work that a model's text can cause. Sizes are in UTF-16 units. */
export interface SegmentLimits {
  /** Maximum length of an opening tag; a longer one is text. */
  readonly maxOpener: number
  /** Maximum length of the JSON header of a sentinel or the name header of a call; a longer one is text. */
  readonly maxHeader: number
  /** Maximum look-ahead in JSON or a list of calls without a marker; beyond it, the text is text. */
  readonly maxProbe: number
  /** Maximum white space between a closing marker and the text that must follow it. */
  readonly maxSpace: number
  /** Maximum text held until a later path or name, or the end of its line. */
  readonly maxHeld: number
  /** Maximum size of the arguments besides the content that are held for the end of a projected call. */
  readonly maxMetadata: number
  /** Maximum nesting of JSON and wrappers. */
  readonly maxDepth: number
  /** Maximum number of calls in one stream; later openers are text. */
  readonly maxCalls: number
}

/** The default bounds. */
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

/** Returns all bounds, with defaults for missing ones. */
export function toLimits(given: Partial<SegmentLimits> = {}): SegmentLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaultLimits, ...Object.fromEntries(set) }
}
