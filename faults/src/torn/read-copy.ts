import { copyFile, mkdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isMillraceError } from 'millrace'
import { createSqliteStore } from 'millrace/sqlite'
import { readLog } from '../mill/read-logs.ts'
import type { WrittenFile } from './write-file.ts'

/** The logs of a file, by session. */
export type Logs = ReadonlyMap<string, readonly string[]>

/** The state of a copied file. */
export interface CopyReading {
  /** The readable data, up to the reported damage. */
  readonly logs: Logs
  /** Its error, if there was one. */
  readonly refusal?: unknown
}

/** The file in which a copy is cut: the file itself, or the log of SQLite. */
export interface Tear {
  readonly file: 'database' | 'log'
  readonly offset: number
}

/** Opens a copy of a file, torn or whole, and reads the remaining data of each session. */
export async function readCopy(
  { database, log, seen }: WrittenFile,
  folder: string,
  tear?: Tear,
): Promise<CopyReading> {
  const path = join(folder, 'copy.db')
  const logs = new Map<string, readonly string[]>()
  await mkdir(folder)
  try {
    await copyFile(database, path)
    await copyFile(log, `${path}-wal`)
    if (tear !== undefined) {
      await truncate(tear.file === 'database' ? path : `${path}-wal`, tear.offset)
    }
    const store = createSqliteStore({ path })
    try {
      for (const session of seen.keys()) logs.set(session, await readOrNone(store, session))
    } finally {
      await store.close()
    }
    return { logs }
  } catch (refusal) {
    return { logs, refusal }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A session that began after the tear is not in the copy. */
async function readOrNone(
  store: Parameters<typeof readLog>[0],
  session: string,
): Promise<readonly string[]> {
  try {
    return await readLog(store, session)
  } catch (error) {
    if (isMillraceError(error) && error.code === 'not_found') return []
    throw error
  }
}

/** Returns whether an error clearly reports an incomplete file. */
export function saysDamaged(error: unknown): boolean {
  return isMillraceError(error) && /is damaged|is not an SQLite database/.test(error.message)
}
