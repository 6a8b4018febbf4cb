import { numberAt } from './columns.ts'
import type { Reader } from './open-reader.ts'

/** How often a file is looked at that other processes may write to. */
export interface ForeignNewsOptions {
  readonly reader: Reader
  readonly pollMs: number
  /** Looking ends when nobody wants to know any more. */
  readonly isWanted: () => boolean
  readonly onNews: () => void
}

/** Looks whether another connection has written, as long as somebody wants to know. */
export interface ForeignNews {
  watch(): void
  close(): void
}

/** Builds what looks; it asks SQLite for a counter, which costs a few microseconds. */
export function createForeignNews(options: ForeignNewsOptions): ForeignNews {
  const { reader, pollMs, isWanted, onNews } = options
  let timer: NodeJS.Timeout | undefined
  let seen = 0

  const close = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const versionNow = (): number => numberAt(reader.statements.version.get() ?? [], 0)

  const look = (): void => {
    if (!isWanted()) return close()
    const version = versionNow()
    if (version === seen) return
    seen = version
    onNews()
  }

  return {
    watch: () => {
      if (timer !== undefined) return
      seen = versionNow()
      // A process must be able to end while someone still waits.
      timer = setInterval(look, pollMs).unref()
    },
    close,
  }
}
