import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { ownFiles } from '../../own-files/index.ts'

/** Lists the existing files of the server, with SQLite's additional files. Links are resolved. */
export function serverFiles(): readonly string[] {
  return ownFiles().flatMap((file) => {
    const real = resolveLinks(file)
    return siblings(real).filter((path) => belongsTo(real, path))
  })
}

/** Lists the rollback journals of the server's databases that do not exist. */
export function missingJournals(): readonly string[] {
  return ownFiles()
    .map(resolveLinks)
    .filter((file) => existsSync(file) && !existsSync(`${file}-journal`))
    .map((file) => `${file}-journal`)
}

/** Throws `forbidden` for a path without links that names a file of the server, existing or not. */
export function refuseServerFile(path: string, shown: string): void {
  if (!ownFiles().some((file) => belongsTo(resolveLinks(file), path))) return
  throw new MillraceError(
    'forbidden',
    `"${shown}" belongs to the server that runs this tool and cannot be read or changed.`,
  )
}

/** Checks for a file or one of SQLite's additional files. SQLite names its log, index and journal after the database. */
function belongsTo(file: string, path: string): boolean {
  return path === file || path.startsWith(`${file}-`)
}

function siblings(file: string): readonly string[] {
  try {
    return readdirSync(dirname(file)).map((name) => join(dirname(file), name))
  } catch {
    return []
  }
}

function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
