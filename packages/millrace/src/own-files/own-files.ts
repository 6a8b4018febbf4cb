/** Shared by all copies of this package in the process: a store and a tool may come from different copies. */
const KEY = Symbol.for('millrace.own-files')

/** Returns the number of claims of each file, by absolute path. */
function claims(): Map<string, number> {
  const registry = globalThis as { [KEY]?: Map<string, number> }
  return (registry[KEY] ??= new Map())
}

/** Declares a file of the server that no tool may read or write. Returns a function that releases it. */
export function claimOwnFile(path: string): () => void {
  const files = claims()
  files.set(path, (files.get(path) ?? 0) + 1)
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    const left = (files.get(path) ?? 1) - 1
    if (left === 0) files.delete(path)
    else files.set(path, left)
  }
}

/** Lists the absolute paths of the server's own files. */
export function ownFiles(): readonly string[] {
  return [...claims().keys()]
}
