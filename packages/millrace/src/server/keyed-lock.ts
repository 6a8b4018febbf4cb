/** A lock that runs one task at a time for each key. */
export type KeyedLock = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Creates a lock; tasks of one key run in order. */
export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(task)
    const settled = turn.then(nothing, nothing).then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    last.set(key, settled)
    return turn
  }
}

function nothing(): void {}
