/** Processes items with a bound on concurrent work; the first failure ends it all. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let isFailed = false
  const go = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && !isFailed; next = rest.next()) {
      await work(next.value)
    }
  }
  const workers = Array.from({ length: width }, go)
  try {
    await Promise.all(workers)
  } finally {
    isFailed = true
    await Promise.allSettled(workers)
  }
}
