import type { Part, PartChange, PartRange } from './store.ts'

/** The parts of one session, by collection and number. */
export interface MemoryParts {
  change(changes: readonly PartChange[]): void
  read(collection: string, range: PartRange): readonly Part[]
}

/** Creates an empty set of parts. */
export function createMemoryParts(): MemoryParts {
  const collections = new Map<string, Part[]>()

  const provide = (collection: string): Part[] => {
    const known = collections.get(collection)
    if (known !== undefined) return known
    const made: Part[] = []
    collections.set(collection, made)
    return made
  }

  return {
    change: (changes) => {
      for (const change of changes) {
        const parts = provide(change.collection)
        const at = indexOf(parts, change.number)
        const isKnown = parts[at]?.number === change.number
        parts.splice(at, isKnown ? 1 : 0, ...(change.body === null ? [] : [change]))
      }
    },

    read: (collection, range) => {
      const parts = collections.get(collection) ?? []
      if ('after' in range) {
        const start = indexOf(parts, range.after + 1)
        return parts.slice(start, start + range.limit)
      }
      const end = indexOf(parts, range.before)
      return parts.slice(Math.max(0, end - range.limit), end).reverse()
    },
  }
}

/** The index of the first part whose number is not below this one; new parts mostly come last. */
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
