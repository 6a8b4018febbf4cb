import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { ownFiles } from '../../own-files/index.ts'

/** Lists the server's own files that exist, with those that SQLite keeps beside them; links are resolved. */
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

/** Refuses a path with resolved links that names one of the server's own files, whether or not it exists. */
export function refuseServerFile(path: string, shown: string): void {
  if (!ownFiles().some((file) => belongsTo(resolveLinks(file), path))) return
  throw new MillraceError(
    'forbidden',
    `"${shown}" belongs to the server that runs this tool and cannot be read or changed.`,
  )
}

/** SQLite names its log, its index and its journal after the database. */
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
