/**
 * Creates a function that shares one read among concurrent callers with the same key, such as a thousand readers of one session. A read
 * that started before a call may be too old, but only if it is empty; then the callers share the next one.
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
