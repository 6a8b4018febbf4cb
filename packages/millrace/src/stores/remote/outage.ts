import { MillraceError } from '../../errors/index.ts'

/** Reports of one connection of a store. */
export interface Link {
  /** Reports that the connection failed or could not be opened. */
  readonly fail: (error: unknown) => void
  /** Reports that the connection works. */
  readonly restore: () => void
  /** Returns the last failure, unless the connection works again. */
  readonly failure: () => unknown
}

interface OutageOptions {
  readonly database: string
  readonly onError: (error: unknown) => void
  readonly onRestored: () => void
}

/**
 * Creates an outage detector. It reports the first connection failure once, and the recovery of all connections once: a report for each
 * attempt would flood a log.
 */
export function createOutage({ database, onError, onRestored }: OutageOptions): () => Link {
  const lost = new Map<Link, unknown>()
  return () => {
    const link: Link = {
      fail: (error) => {
        const isFirst = lost.size === 0
        lost.set(link, error ?? 'unknown')
        if (isFirst) onError(connectionLost(database, error))
      },
      restore: () => {
        if (lost.delete(link) && lost.size === 0) onRestored()
      },
      failure: () => lost.get(link),
    }
    return link
  }
}

function connectionLost(database: string, cause: unknown): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `A connection to ${database}, the store of the sessions, has failed. Millrace retries until it succeeds. Check that ${database} runs and is reachable.`,
    { cause },
  )
}
