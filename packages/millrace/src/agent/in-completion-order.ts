/** Works on items side by side, at most `limit` at a time, and yields each outcome as soon as it is there. */
export async function* inCompletionOrder<Item, Outcome>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Outcome>,
): AsyncGenerator<Outcome, void, undefined> {
  const running = new Map<Item, Promise<{ item: Item; outcome: Outcome }>>()
  const waiting = items.values()
  const startNext = () => {
    const { value: item, done } = waiting.next()
    if (done !== true)
      running.set(
        item,
        work(item).then((outcome) => ({ item, outcome })),
      )
  }
  for (let started = 0; started < limit; started++) startNext()
  while (running.size > 0) {
    const { item, outcome } = await Promise.race(running.values())
    running.delete(item)
    startNext()
    yield outcome
  }
}
