import { decodeEnvelope } from 'millrace'

/** Assigns messages of one run to its boundaries. */
export interface BoundaryFinder {
  /** Returns the name of the boundary of a message, if it is one: `2. meta_step`. */
  readonly take: (line: string) => string | undefined
}

/** After these the next message begins something new. */
const endings: ReadonlySet<string> = new Set(['meta_init', 'tool_result', 'rollback'])

/**
 * Finds where a run goes from one thing to the next: a block or a step is over, a tool starts or is done, a step
 * begins. Each has a name by its step, so that it is the same one in a step that is made again.
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
