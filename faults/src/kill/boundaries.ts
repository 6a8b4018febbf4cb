import { decodeEnvelope } from 'millrace'

/** Assigns frames of one run to its boundaries. */
export interface BoundaryFinder {
  /** Returns the name of the boundary at a frame, if there is one: `2. meta_step`. */
  readonly take: (line: string) => string | undefined
}

/** The frame after one of these begins the next activity. */
const endings: ReadonlySet<string> = new Set(['meta_init', 'tool_result', 'rollback'])

/**
 * Finds the boundaries of a run: the end of a block or a step, the start or end of a tool, the start of a step. Each name contains its
 * step, so that it is the same in a repeated step.
 */
export function createBoundaryFinder(): BoundaryFinder {
  const counts = new Map<string, number>()
  let step = 1
  let isBeginning = false
  return {
    take: (line) => {
      const { type, final, stage } = decodeEnvelope(line)
      const begins = isBeginning && !endings.has(type)
      isBeginning = endings.has(type)
      if (type === 'rollback') counts.clear()
      if (type === 'rollback' || (!final && !begins)) return undefined
      const what = [type, stage ?? '', begins ? 'begins' : ''].join(' ').trim()
      const count = (counts.get(what) ?? 0) + 1
      counts.set(what, count)
      const name = `step ${step}: ${what} ${count}`
      if (type === 'meta_step') {
        step++
        counts.clear()
      }
      return name
    },
  }
}
