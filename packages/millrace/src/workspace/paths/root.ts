import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { badRequest } from '../../errors/index.ts'

/** The folder that tools are confined to. */
export type Root = ReturnType<typeof openRoot>

/** Opens the root of a workspace, from which all of its paths are resolved. */
export function openRoot(
  folder: string,
  {
    usesDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd'),
  }: { readonly usesDescriptors?: boolean } = {},
) {
  if (typeof folder !== 'string' || folder === '')
    throw badRequest('Workspace tools need a `root`: the folder to stay in.')
  const given = resolve(folder)
  const path = findFolder(given)
  return {
    /** The configured path, made absolute. */
    given,
    /** The path with links resolved at creation. Later changes of a link have no effect. */
    path,
    /** Whether the system provides paths of open files, so that an open folder can be used for its names. */
    usesDescriptors,
    /** Checks whether a path without links is the root or inside it. */
    contains: (other: string): boolean => isWithin(path, other),
    /** Formats a path inside the root: relative, with "/". */
    show: (other: string): string => showName(relative(path, other).split(sep).join('/') || '.'),
  }
}

/** Checks by name whether a path is a folder or inside it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Formats a name as one unambiguous line. */
export function showName(name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(name) ? JSON.stringify(name) : name
}

function findFolder(given: string): string {
  try {
    const path = realpathSync.native(given)
    if (statSync(path).isDirectory()) return path
  } catch (cause) {
    throw badRequest(`The workspace ${quote(given)} cannot be opened.`, { cause })
  }
  throw badRequest(`The workspace ${quote(given)} is not a folder.`)
}

const LONGEST_QUOTE = 200

/** Quotes a model's text for a message, in one line of bounded length. */
export function quote(text: string): string {
  const isLong = text.length > LONGEST_QUOTE
  return JSON.stringify(isLong ? `${text.slice(0, LONGEST_QUOTE)}…` : text)
}
