import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { explainFailures, systemCode } from '../paths/explain-failures.ts'
import { checkRegular, type Folder, openFolder } from '../paths/open-inside.ts'
import type { Target } from '../paths/resolve-path.ts'
import type { Root } from '../paths/root.ts'

/** New content of a file and its condition. */
interface Replacement {
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
  /** The state of the file when it was read. If it has changed since, nothing is written. */
  readonly expected?: Stats
}

const NEW_FILE_MODE = 0o666

/**
 * Replaces a file atomically: writes a temporary file and renames it. Creates missing folders, and keeps the
 * permissions of an existing file.
 */
export function replaceFile(root: Root, target: Target, replacement: Replacement): Promise<void> {
  return explainFailures(target.shown, async () => {
    const folder = await makeFolders(root, target)
    try {
      await writeBeside(folder, target, replacement)
    } finally {
      await folder.close()
    }
  })
}

/** Opens the folder of a target. Creates missing folders one by one below the open one. */
async function makeFolders(root: Root, { folder: path, names }: Target): Promise<Folder> {
  let folder = await openFolder(root, path)
  for (const name of names.slice(0, -1)) {
    const above = folder
    try {
      await mkdir(above.at(name)).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error
      })
      folder = await openFolder(root, join(above.path, name), above.at(name))
    } finally {
      await above.close()
    }
  }
  return folder
}

async function writeBeside(
  folder: Folder,
  { names, shown }: Target,
  { bytes, signal, expected }: Replacement,
): Promise<void> {
  const path = folder.at(names.at(-1) ?? '')
  const old = await findOld(path, shown)
  const beside = folder.at(`.millrace-${randomUUID()}.tmp`)
  try {
    await writeNew(beside, bytes, old)
    if (expected !== undefined) checkUnchanged(expected, await findOld(path, shown), shown)
    // Without descriptors the folder is identified by its path, which must not have changed.
    if ((await realpath(folder.at('.'))) !== folder.path) throw movedAway(shown)
    signal.throwIfAborted()
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

async function writeNew(path: string, bytes: Uint8Array, old: Stats | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, NEW_FILE_MODE)
  try {
    await handle.writeFile(bytes)
    // Keeps only the permissions: set-user-id bits must not apply to new content.
    if (old !== undefined) await handle.chmod(old.mode & 0o777)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the state of the existing file, which must be regular and writable, or undefined. */
async function findOld(path: string, shown: string): Promise<Stats | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return undefined
  checkRegular(stats, shown)
  await access(path, constants.W_OK)
  return stats
}

function checkUnchanged(expected: Stats, actual: Stats | undefined, shown: string): void {
  const isSame =
    actual !== undefined &&
    actual.ino === expected.ino &&
    actual.size === expected.size &&
    actual.mtimeMs === expected.mtimeMs
  if (isSame) return
  throw new MillraceError(
    'conflict',
    `"${shown}" was changed in the meantime; nothing was written. Read it again.`,
  )
}

function movedAway(shown: string): MillraceError {
  return new MillraceError(
    'conflict',
    `The folder of "${shown}" was moved in the meantime; list the folder again.`,
  )
}
