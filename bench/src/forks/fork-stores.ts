import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore, type Store } from 'millrace/server'
import { createSqliteStore } from 'millrace/sqlite'

/** A store that forks are measured on. */
export interface ForkStore {
  readonly store: Store
  /** Bytes that it has written so far; undefined where they cannot be counted. */
  bytesWritten(): Promise<number | undefined>
  close(): Promise<void>
}

/** The stores that forks are measured on, by name. */
export const forkStores: Readonly<Record<string, () => Promise<ForkStore>>> = {
  memory: async () => toForkStore(createMemoryStore()),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'))
    const store = createSqliteStore({ path: join(folder, 'store.db') })
    return toForkStore(store, bytesOfProcess, () => rm(folder, { recursive: true }))
  },
}

function toForkStore(
  store: Store,
  bytesWritten: () => number | undefined | Promise<number | undefined> = () => undefined,
  cleanUp: () => Promise<void> = async () => {},
): ForkStore {
  return {
    store,
    bytesWritten: async () => bytesWritten(),
    close: async () => {
      await store.close()
      await cleanUp()
    },
  }
}

/** Bytes that this process has handed to the system, which Linux counts. */
function bytesOfProcess(): number | undefined {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
