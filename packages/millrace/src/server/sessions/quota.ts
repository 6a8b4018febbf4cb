import type { MillraceError } from '../../errors/index.ts'

/** A limit on how many units each key may hold. */
export interface Quota {
  /** Acquires one unit for a key and returns a function that releases it. Without a key nothing is counted. */
  acquire(key: string | undefined): () => void
}

/** Creates a quota with `max` units for each key. */
export function createQuota(max: number, refuse: (max: number) => MillraceError): Quota {
  const held = new Map<string, number>()

  const release = (key: string): void => {
    const rest = (held.get(key) ?? 1) - 1
    if (rest === 0) held.delete(key)
    else held.set(key, rest)
  }

  return {
    acquire: (key) => {
      if (key === undefined) return () => {}
      const count = held.get(key) ?? 0
      if (count >= max) throw refuse(max)
      held.set(key, count + 1)
      let isHeld = true
      return () => {
        if (isHeld) release(key)
        isHeld = false
      }
    },
  }
}
