/**
 * Lets those who ask the same at the same time share one answer: a thousand readers of one session ask for the same
 * page. An answer that was under way when someone came may be older than their question, which matters only if it is
 * empty; then they share the next one.
 */
export function createSharedReads<T>(): (
  key: string,
  ask: () => Promise<readonly T[]>,
) => Promise<readonly T[]> {
  const underWay = new Map<string, Promise<readonly T[]>>()

  const start = (key: string, ask: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    const asked = ask().finally(() => underWay.delete(key))
    underWay.set(key, asked)
    return asked
  }

  return async (key, ask) => {
    const current = underWay.get(key)
    if (current === undefined) return start(key, ask)
    const found = await current
    if (found.length > 0) return found
    return underWay.get(key) ?? start(key, ask)
  }
}
