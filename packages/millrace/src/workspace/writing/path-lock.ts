/** Serialises work on the same path. */
export interface PathLock {
  hold<Result>(path: string, work: () => Promise<Result>): Promise<Result>
}

/** Creates a lock. It holds no state for unused paths. */
export function createPathLock(): PathLock {
  const last = new Map<string, Promise<unknown>>()
  return {
    async hold(path, work) {
      const turn = (last.get(path) ?? Promise.resolve()).then(work)
      const done = turn.catch(() => {})
      last.set(path, done)
      try {
        return await turn
      } finally {
        if (last.get(path) === done) last.delete(path)
      }
    },
  }
}
