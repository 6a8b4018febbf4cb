import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, posix, relative, resolve } from 'node:path'
import { badRequest, MillraceError } from '../../errors/index.ts'
import { explainFailures, systemCode } from './explain-failures.ts'
import { isWithin, quote, type Root } from './root.ts'
import { refuseServerFile } from './server-files.ts'

/** Maximum length of a path in Linux. */
const LONGEST_PATH = 4096

/** Patterns of invalid paths, with the remedy. */
const refusals: readonly { test: (path: string) => boolean; message: string }[] = [
  { test: (path) => path === '', message: 'is empty; use "." for the root of the workspace.' },
  { test: (path) => path.includes('\0'), message: 'contains a NUL character; remove it.' },
  {
    test: (path) => path.length > LONGEST_PATH,
    message: `is longer than ${LONGEST_PATH} characters, the maximum of a path.`,
  },
  {
    test: (path) => /^[a-z]:/i.test(path) || path.startsWith('\\\\'),
    message: 'is a path of Windows; write it relative to the root of the workspace, with "/".',
  },
  {
    test: (path) => path.includes('\\'),
    message: 'has a backslash; write "/" between the names of folders.',
  },
  {
    test: (path) => path === '~' || path.startsWith('~/'),
    message: 'starts at the home folder; write it relative to the root of the workspace.',
  },
]

/** An existing file or folder inside the root. */
export interface ResolvedPath {
  /** Absolute, with all links resolved. */
  readonly path: string
  /** Relative to the root, as shown to the model. */
  readonly shown: string
}

/** The location of an existing or new file inside the root. */
export interface Target {
  /** The deepest existing folder; absolute, with all links resolved. */
  readonly folder: string
  /** The path from that folder to the file: missing folders, then the file name. */
  readonly names: readonly [...string[], string]
  readonly exists: boolean
  readonly shown: string
}

/** Resolves a model's path. Throws `forbidden` for a link that leads out of the root. */
export function resolvePath(root: Root, path: string): Promise<ResolvedPath> {
  const full = join(root.path, toRelative(root, path))
  const shown = root.show(full)
  return explainFailures(shown, async () => {
    const real = await realpath(full).catch(async (error: unknown) => {
      if (systemCode(error) === 'ENOENT') await refuseDanglingLink(root, full)
      throw error
    })
    checkInside(root, real, path)
    return { path: real, shown }
  })
}

/** Resolves a model's path for writing. Missing folders and files are below the deepest existing folder. */
export function resolveTarget(root: Root, path: string): Promise<Target> {
  const full = join(root.path, toRelative(root, path))
  const shown = root.show(full)
  if (path.endsWith('/') || full === root.path) {
    throw badRequest(`${quote(path)} names a folder; add the file's name.`)
  }
  return explainFailures(shown, async () => {
    const missing: string[] = []
    let probe = full
    let real = await realpathOrNone(probe)
    while (real === undefined && probe !== root.path) {
      await refuseLink(root, probe)
      missing.unshift(basename(probe))
      probe = dirname(probe)
      real = await realpathOrNone(probe)
    }
    if (real === undefined) throw new MillraceError('not_found', 'The workspace is gone.')
    checkInside(root, real, path)
    refuseServerFile(join(real, ...missing), shown)
    const last = missing.pop()
    return last === undefined
      ? { folder: dirname(real), names: [basename(real)], exists: true, shown }
      : { folder: real, names: [...missing, last], exists: false, shown }
  })
}

async function realpathOrNone(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function checkInside(root: Root, real: string, path: string): void {
  if (root.contains(real)) return
  throw new MillraceError(
    'forbidden',
    `The path ${quote(path)} leads out of the workspace through a link; use a path inside it.`,
  )
}

/** Searches upwards for a dangling link, to distinguish it from a missing file. */
async function refuseDanglingLink(root: Root, full: string): Promise<void> {
  for (let probe = full; probe !== root.path; probe = dirname(probe)) {
    await refuseLink(root, probe)
    if ((await realpathOrNone(dirname(probe))) !== undefined) return
  }
}

/** Throws `forbidden` for a dangling link. */
async function refuseLink(root: Root, path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return
  throw new MillraceError('forbidden', `"${root.show(path)}" is a link to a missing file.`)
}

/** Converts a model's path to one relative to the root, by name only. Throws if it leads out of the root. */
function toRelative(root: Root, path: string): string {
  const refusal = refusals.find(({ test }) => test(path))
  if (refusal !== undefined) {
    throw badRequest(`The path ${quote(path)} ${refusal.message}`)
  }
  const starts = isAbsolute(path) ? [root.path, root.given] : [root.path]
  const start = starts.find((folder) => isWithin(folder, resolve(folder, path)))
  if (start === undefined) throw outside(path)
  return relative(start, resolve(start, path))
}

function outside(path: string): MillraceError {
  const inside = posix.resolve('/', path).slice(1) || '.'
  return new MillraceError(
    'forbidden',
    `The path ${quote(path)} is outside the workspace. Paths are relative to its root; use ${quote(inside)} for the path inside it.`,
  )
}

/** Resolves a model's path to a folder. */
export async function resolveFolder(root: Root, path: string): Promise<ResolvedPath> {
  const place = await resolvePath(root, path)
  if ((await explainFailures(place.shown, () => lstat(place.path))).isDirectory()) return place
  throw badRequest(`"${place.shown}" is a file, not a folder.`)
}
