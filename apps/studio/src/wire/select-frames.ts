import type { LoggedFrame } from '../session/frame-log.ts'

/** Which frames to show: those of the chosen types, all if none is chosen, and of one agent or all. */
export interface FrameFilter {
  readonly types: ReadonlySet<string>
  readonly agent: string
}

/** Lets every frame through. */
export const noFilter: FrameFilter = { types: new Set(), agent: '' }

/** Picks frames from a list that grows at its end; those that were looked at are not looked at again. */
export type FrameSelector = (frames: readonly LoggedFrame[]) => readonly LoggedFrame[]

/** Creates the selector of a filter. */
export function createFrameSelector({ types, agent }: FrameFilter): FrameSelector {
  if (types.size === 0 && agent === '') return (frames) => frames
  const passes = (frame: LoggedFrame): boolean =>
    (types.size === 0 || types.has(frame.type)) && (agent === '' || frame.agent === agent)
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
