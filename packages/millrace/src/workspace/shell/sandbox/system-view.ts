import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin } from '../../paths/root.ts'

/** System folders that commands need. All others are hidden unless they are configured. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/nix',
]
/** Targets of links from `/etc/resolv.conf`. */
const resolverFolders = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']
/** Container images often store the application in these folders. */
const hiddenFolders = ['/usr/src', '/usr/local/src']
/** Maximum number of entries in a scan of `/etc` for private files. */
const MAX_SCANNED = 20_000

/** Returns arguments that mount the system folders read-only. */
export function showSystem(): readonly string[] {
  return [...systemFolders, ...resolverFolders].flatMap((path) => {
    const stats = statOf(path)
    if (stats === undefined) return []
    return stats.isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path]
  })
}

/** Returns arguments that hide application folders and, if the server is root, files that only root may read or write. */
export function hideSystem(isRoot: boolean): readonly string[] {
  const folders = [...hiddenFolders, ...hiddenApplication()].filter(existsSync)
  return [
    ...folders.flatMap((path) => ['--tmpfs', path]),
    ...(isRoot ? [...protectKernelSettings(), ...privateEntries('/etc').flatMap(mask)] : []),
  ]
}

/** Returns arguments that mount an empty file or folder over a path. */
export function mask(path: string): readonly string[] {
  const stats = statOf(path)
  if (stats === undefined) return []
  return stats.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Returns program folders outside the system's, for example of a version manager, and the modules of Node. */
export function programFolders(path = ''): readonly string[] {
  const modules = resolve(dirname(process.execPath), '..', 'lib', 'node_modules')
  const named = path.split(':').filter((folder) => isAbsolute(folder) && isProgramFolder(folder))
  return [...named, dirname(process.execPath), modules].filter(
    (folder) => existsSync(folder) && !isSystem(folder),
  )
}

function isProgramFolder(folder: string): boolean {
  return ['bin', 'sbin', 'shims'].includes(basename(folder))
}

function isSystem(folder: string): boolean {
  return systemFolders.some((system) => isWithin(system, folder))
}

/** Returns the server's working directory, if it is in a visible folder. */
function hiddenApplication(): readonly string[] {
  const cwd = process.cwd()
  return isSystem(cwd) && !isProgramFolder(cwd) && !systemFolders.includes(cwd) ? [cwd] : []
}

/**
 * Protects kernel settings. The kernel treats the user of a namespace created by root as root: a command could
 * otherwise change `core_pattern` and run a program on the host.
 */
function protectKernelSettings(): readonly string[] {
  // Names only: for the types of entries, Node reads each entry, and fails for a process that has ended since.
  const writable = readdirSync('/proc').filter((name) => {
    const stat = statOf(join('/proc', name))
    return stat?.isFile() === true && (stat.mode & 0o200) !== 0
  })
  return [
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    ...writable.flatMap((name) => mask(join('/proc', name))),
  ]
}

/** Finds entries that only their owner may read. The user of the namespace counts as the owner. */
function privateEntries(top: string): readonly string[] {
  const found: string[] = []
  const folders = [top]
  let scanned = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (++scanned > MAX_SCANNED) return [...found, ...folders, folder]
      if (!entry.isFile() && !entry.isDirectory()) continue
      const path = join(folder, entry.name)
      if (((statOf(path)?.mode ?? 0) & 0o004) === 0) found.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  return found
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
