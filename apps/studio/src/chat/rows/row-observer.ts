/** Has the sizes of rows observed. */
export interface RowObserver {
  /** Takes rows, of which some may be observed already. */
  add(rows: readonly HTMLElement[]): void
  stop(): void
}

/** Creates a watch that begins with the next frame: to observe more while sizes are told is an error to browsers. */
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
      // What is observed again would be told again.
      const added = rows.filter((row) => !seen.has(row))
      for (const row of added) seen.add(row)
      fresh.push(...added)
      if (fresh.length > 0) frame ||= requestAnimationFrame(flush)
    },
    stop: () => cancelAnimationFrame(frame),
  }
}
