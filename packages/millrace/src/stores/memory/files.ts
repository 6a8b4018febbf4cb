import type { StoredFile } from '../port/index.ts'

/** Files of a session, each with the tail of the log when it was stored. */
export interface MemoryFiles {
  put(file: StoredFile, tail: number): void
  /** Returns a file that was stored while the log ended at or before a frame. */
  get(id: string, frame: number): StoredFile | undefined
  ids(frame: number): readonly string[]
}

/** Creates an empty set of files. */
export function createMemoryFiles(): MemoryFiles {
  const files = new Map<string, { readonly file: StoredFile; readonly tail: number }>()
  return {
    put: (file, tail) => void files.set(file.id, { file, tail }),
    get: (id, frame) => {
      const kept = files.get(id)
      return kept !== undefined && kept.tail <= frame ? kept.file : undefined
    },
    ids: (frame) => [...files].flatMap(([id, { tail }]) => (tail <= frame ? [id] : [])),
  }
}
