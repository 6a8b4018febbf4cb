import type { LoggedFrame } from '../session/frames/index.ts'

/** Which frames to show: those of the chosen types, all if none is chosen, of one agent or all, that contain all words of a text. */
export interface FrameFilter {
  readonly types: ReadonlySet<string>
  readonly agent: string
  readonly text: string
}

/** Lets every frame through. */
export const noFilter: FrameFilter = { types: new Set(), agent: '', text: '' }

/** Picks frames from a list that grows at its end; those that were looked at are not looked at again. */
export type FrameSelector = (frames: readonly LoggedFrame[]) => readonly LoggedFrame[]

/** Creates what makes the selectors of filters that follow each other: while someone types on, the next begins with what the last has found. */
export function createFrameSelectors(): (filter: FrameFilter) => FrameSelector {
  let last: { readonly filter: FrameFilter; readonly select: FrameSelector } | undefined
  return (filter) => {
    const wider = last && isWithin(filter, last.filter) ? last.select : undefined
    const select = createFrameSelector(filter, wider)
    last = { filter, select }
    return select
  }
}

/** Creates the selector of a filter; a wider one may have looked at the frames before. */
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
      // It would keep those before it alive.
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

/** Whether all frames that pass a filter pass another one too, as far as that is seen at a glance. */
function isWithin(filter: FrameFilter, { types, agent, text }: FrameFilter): boolean {
  return (
    filter.types === types &&
    filter.agent === agent &&
    // A letter may be another one at the end of a word, so these are compared as they are looked for.
    filter.text.toLowerCase().startsWith(text.toLowerCase())
  )
}

/** Creates what tells whether a frame passes a filter. */
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

/** Looks once at each frame for the words of a text; case does not matter. */
function createTextTest(text: string): (frame: LoggedFrame) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).map(toSpellings)
  if (words.length === 0) return () => true
  // The past lists the same frames anew for each moment.
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

/** A word as it was typed, and as it stands in a line of JSON. */
function toSpellings(word: string): readonly string[] {
  return [...new Set([word, JSON.stringify(word).slice(1, -1)])]
}

/** Where a frame stands in a list, by its index; -1 if it does not. */
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
