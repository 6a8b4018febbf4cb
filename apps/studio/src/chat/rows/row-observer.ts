/** Observes the sizes of rows. */
export interface RowObserver {
  /** Adds rows, also rows that are observed already. */
  add(rows: readonly HTMLElement[]): void
  stop(): void
}

/**
 * Creates an observer that starts with the next frame: browsers report an error if rows are added while sizes are
 * delivered.
 */
export function createRowObserver(sizes: ResizeObserver): RowObserver {
  const seen = new WeakSet<HTMLElement>()
  let fresh: HTMLElement[] = []
  let frame = 0
  const flush = (): void => {
    for (const row of fresh) if (row.isConnected) sizes.observe(row)
    fresh = []
    frame = 0
  }
  return {
    add(rows) {
      // A row that is observed again would be reported again.
      const added = rows.filter((row) => !seen.has(row))
      for (const row of added) seen.add(row)
      fresh.push(...added)
      if (fresh.length > 0) frame ||= requestAnimationFrame(flush)
    },
    stop: () => cancelAnimationFrame(frame),
  }
}
