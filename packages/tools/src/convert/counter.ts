interface Counter {
  add(name: string): void
  /** Lists all counts: `2 meta_step, 1 meta_end`. */
  list(): string
}

/** Creates an empty counter. */
export function createCounter(): Counter {
  const counts = new Map<string, number>()
  return {
    add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    list: () => [...counts].map(([name, count]) => `${count} ${name}`).join(', '),
  }
}
