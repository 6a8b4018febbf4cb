import { connectionLost } from './store-errors.ts'

/** Reports of one connection of a store. */
export interface Link {
  /** Reports that the connection failed or could not be opened. */
  readonly fail: (error: unknown) => void
  /** Reports that the connection works. */
  readonly restore: () => void
}

/** Options of {@link createOutage}. */
export interface OutageOptions {
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/**
 * Creates an outage detector. It reports the first connection failure once, and the recovery of all connections once: a report for each
 * attempt would flood a log.
 */
export function createOutage({ onError, onRestored }: OutageOptions): () => Link {
  const lost = new Set<Link>()
  return () => {
    const link: Link = {
      fail: (error) => {
        const isFirst = lost.size === 0
        lost.add(link)
        if (isFirst) onError(connectionLost(error))
      },
      restore: () => {
        if (lost.delete(link) && lost.size === 0) onRestored()
      },
    }
    return link
  }
}
