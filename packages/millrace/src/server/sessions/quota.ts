import type { MillraceError } from '../../errors/index.ts'

/** Quota of which each key has so many. */
export interface Quota {
  /** Takes a place, and gives what gives it back, once; those without a key need none. */
  take(key: string | undefined): () => void
}

/** Builds places, all of them free. */
export function createQuota(max: number, refuse: (max: number) => MillraceError): Quota {
  const taken = new Map<string, number>()

  const leave = (key: string): void => {
    const rest = (taken.get(key) ?? 1) - 1
    if (rest === 0) taken.delete(key)
    else taken.set(key, rest)
  }

  return {
    take: (key) => {
      if (key === undefined) return () => {}
      const count = taken.get(key) ?? 0
      if (count >= max) throw refuse(max)
      taken.set(key, count + 1)
      let isTaken = true
      return () => {
        if (isTaken) leave(key)
        isTaken = false
      }
    },
  }
}
