import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { quote } from './quote.ts'

/** The folder that tools stay in. */
export interface Root {
  /** As it was given, made absolute. */
  readonly given: string
  /** With its links resolved, once: a link that changes later moves nothing. */
  readonly path: string
  /** Whether the system names open files, so that a folder can be held while names in it are used. */
  readonly usesDescriptors: boolean
  /** Tells whether a path whose links are resolved is the root or in it. */
  contains(path: string): boolean
  /** How a path inside is shown: relative to the root, with "/". */
  show(path: string): string
}

/** What may be said about a root. */
export interface RootOptions {
  readonly usesDescriptors?: boolean
}

/** Finds the folder that tools are confined to. */
export function openRoot(
  folder: string,
  {
    usesDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd'),
  }: RootOptions = {},
): Root {
  if (typeof folder !== 'string' || folder === '')
    throw new MillraceError('bad_request', 'Workspace tools need a `root`: the folder to stay in.')
  const given = resolve(folder)
  const path = findFolder(given)
  return {
    given,
    path,
    usesDescriptors,
    contains: (other) => isWithin(path, other),
    show: (other) => showName(relative(path, other).split(sep).join('/') || '.'),
  }
}

/** Tells whether a path is a folder or in it, by their names alone. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A name as one line that cannot pass for anything else. */
export function showName(name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(name) ? JSON.stringify(name) : name
}

function findFolder(given: string): string {
  try {
    const path = realpathSync.native(given)
    if (statSync(path).isDirectory()) return path
  } catch (cause) {
    throw new MillraceError('bad_request', `The workspace ${quote(given)} cannot be opened.`, {
      cause,
    })
  }
  throw new MillraceError('bad_request', `The workspace ${quote(given)} is not a folder.`)
}
