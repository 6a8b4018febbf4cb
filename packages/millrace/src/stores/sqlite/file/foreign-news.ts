import { numberAt } from './columns.ts'
import type { Reader } from './open-reader.ts'

interface ForeignNewsOptions {
  readonly reader: Reader
  readonly pollMs: number
  /** Returns whether polling is still needed. */
  readonly isWanted: () => boolean
  readonly onNews: () => void
}

/** Detects writes of other connections while polling is needed. */
export type ForeignNews = ReturnType<typeof createForeignNews>

/** Creates a detector. It polls a counter of SQLite, which takes a few microseconds. */
export function createForeignNews(options: ForeignNewsOptions) {
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
      // A pending wait must not keep the process alive.
      timer = setInterval(look, pollMs).unref()
    },
    close,
  }
}
