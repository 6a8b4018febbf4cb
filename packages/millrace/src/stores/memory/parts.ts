import type { Part, PartChange, PartRange } from '../port/index.ts'

/** Parts of a session, by collection and number. */
export type MemoryParts = ReturnType<typeof createMemoryParts>

/** Creates the parts of a session. */
export function createMemoryParts() {
  const collections = new Map<string, Part[]>()

  const provide = (collection: string): Part[] => {
    const known = collections.get(collection)
    if (known !== undefined) return known
    const made: Part[] = []
    collections.set(collection, made)
    return made
  }

  return {
    change: (changes: readonly PartChange[]) => {
      for (const change of changes) {
        const parts = provide(change.collection)
        const at = indexOf(parts, change.number)
        const isKnown = parts[at]?.number === change.number
        parts.splice(at, isKnown ? 1 : 0, ...(change.body === null ? [] : [change]))
      }
    },

    /** Reads a range of parts, without those of frames after `frame`. */
    read: (
      collection: string,
      range: PartRange,
      frame: number = Number.MAX_SAFE_INTEGER,
    ): readonly Part[] => {
      const parts = collections.get(collection) ?? []
      const step = 'after' in range ? 1 : -1
      const start =
        'after' in range ? indexOf(parts, range.after + 1) : indexOf(parts, range.before) - 1
      const found: Part[] = []
      for (let at = start; found.length < range.limit; at += step) {
        const part = parts[at]
        if (part === undefined) break
        if (part.frame <= frame) found.push(part)
      }
      return found
    },
  }
}

/** Returns the index of the first part whose number is not lower. New parts mostly come last. */
function indexOf(parts: readonly Part[], number: number): number {
  const last = parts.at(-1)
  if (last === undefined || last.number < number) return parts.length
  let low = 0
  let high = parts.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.number ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
