import type { LoggedFrame } from '../session/frames/index.ts'

/** Filter of frames by types, agent and words; empty values match all. */
export interface FrameFilter {
  readonly types: ReadonlySet<string>
  readonly agent: string
  readonly text: string
}

/** Matches every frame. */
export const noFilter: FrameFilter = { types: new Set(), agent: '', text: '' }

/** Selects frames from a growing list; each frame is tested once. */
export type FrameSelector = (frames: readonly LoggedFrame[]) => readonly LoggedFrame[]

/** Creates a factory of selectors: a narrower filter starts with the matches of the last one. */
export function createFrameSelectors(): (filter: FrameFilter) => FrameSelector {
  let last: { readonly filter: FrameFilter; readonly select: FrameSelector } | undefined
  return (filter) => {
    const wider = last && isWithin(filter, last.filter) ? last.select : undefined
    const select = createFrameSelector(filter, wider)
    last = { filter, select }
    return select
  }
}

/** Creates the selector of a filter, starting with the matches of a wider one. */
export function createFrameSelector(filter: FrameFilter, wider?: FrameSelector): FrameSelector {
  if (isOpen(filter)) return (frames) => frames
  const passes = createFrameTest(filter)
  let from = wider
  let source: readonly LoggedFrame[] = []
  let read = 0
  let selected: LoggedFrame[] = []
  return (frames) => {
    if (frames !== source || frames.length < read) {
      source = frames
      selected = from?.(frames).filter(passes) ?? []
      read = from ? frames.length : 0
      // It would keep earlier selectors alive.
      from = undefined
    }
    for (; read < frames.length; read++) {
      const frame = frames[read]
      if (frame && passes(frame)) selected.push(frame)
    }
    return selected
  }
}

function isOpen({ types, agent, text }: FrameFilter): boolean {
  return types.size === 0 && agent === '' && text.trim() === ''
}

/** Reports whether a filter is narrower than another one, by a simple comparison. */
function isWithin(filter: FrameFilter, { types, agent, text }: FrameFilter): boolean {
  return (
    filter.types === types &&
    filter.agent === agent &&
    // The lower case of a letter can depend on its position, so lower-case texts are compared.
    filter.text.toLowerCase().startsWith(text.toLowerCase())
  )
}

/** Creates the predicate of a filter. */
export function createFrameTest({
  types,
  agent,
  text,
}: FrameFilter): (frame: LoggedFrame) => boolean {
  const holds = createTextTest(text)
  return (frame) =>
    (types.size === 0 || types.has(frame.type)) &&
    (agent === '' || frame.agent === agent) &&
    holds(frame)
}

/** Creates a predicate for the words of a text, ignoring case; each frame is searched once. */
function createTextTest(text: string): (frame: LoggedFrame) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(toSpellings)
  if (words.length === 0) return () => true
  // Past moments list the same frames again.
  const looked = new WeakMap<LoggedFrame, boolean>()
  return (frame) => {
    const known = looked.get(frame)
    if (known !== undefined) return known
    const line = frame.data.toLowerCase()
    const has = words.every((spellings) => spellings.some((each) => line.includes(each)))
    looked.set(frame, has)
    return has
  }
}

/** Returns a word as typed and as escaped in JSON. */
function toSpellings(word: string): readonly string[] {
  return [...new Set([word, JSON.stringify(word).slice(1, -1)])]
}

/** Returns the position of a frame by its index; -1 if it is not in the list. */
export function findFrame(
  frames: readonly LoggedFrame[],
  { index }: Pick<LoggedFrame, 'index'>,
): number {
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((frames[middle]?.index ?? Infinity) < index) low = middle + 1
    else high = middle
  }
  return frames[low]?.index === index ? low : -1
}
