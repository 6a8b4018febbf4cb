import type { LoggedFrame } from '../session/frame-log.ts'

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

/** Creates the selector of a filter. */
export function createFrameSelector(filter: FrameFilter): FrameSelector {
  if (isOpen(filter)) return (frames) => frames
  const passes = createFrameTest(filter)
  let source: readonly LoggedFrame[] = []
  let read = 0
  let selected: LoggedFrame[] = []
  return (frames) => {
    if (frames !== source || frames.length < read) {
      source = frames
      read = 0
      selected = []
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
