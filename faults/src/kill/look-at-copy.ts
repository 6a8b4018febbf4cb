import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openStore } from 'millrace/node'
import type { Store } from 'millrace/server'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Reads a copy of a store's file. Opening the file itself would change it, and the next server would not find it in its state after the
 * crash.
 */
export async function lookAtCopy<Result>(
  path: string,
  see: (store: Store) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(`${path}-copy-`)
  const copy = join(folder, 'copy.db')
  try {
    await copyQuietly(path, copy)
    const store = await openStore(`sqlite:${copy}`)
    try {
      return await see(store)
    } finally {
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true })
    // Only then SQLite releases a file and its space on the disk.
    collectGarbage()
  }
}

/** A server may be checkpointing its file at this moment. */
async function copyQuietly(path: string, copy: string): Promise<void> {
  for (;;) {
    const before = await describe(path)
    await copyFile(path, copy)
    await copyFile(`${path}-wal`, `${copy}-wal`)
    if ((await describe(path)) === before) return
  }
}

async function describe(path: string): Promise<string> {
  const files = await Promise.all([path, `${path}-wal`].map((file) => stat(file)))
  return files.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`).join()
}
