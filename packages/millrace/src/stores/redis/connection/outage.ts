import { connectionLost } from './store-errors.ts'

/** One of the connections of a store, as it tells how it is. */
export interface Link {
  /** It failed, or could not be made once more. */
  readonly fail: (error: unknown) => void
  /** It works. */
  readonly restore: () => void
}

/** Who is told of an outage. */
export interface OutageOptions {
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/**
 * Tells once that a connection is lost and once that all are back, however often they fail in between: an attempt
 * each second would bury everything else in a log.
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
