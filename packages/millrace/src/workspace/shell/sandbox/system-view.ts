import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin } from '../../paths/root.ts'

/** The folders of the system that a command needs; everything else is absent unless it is named. */
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
/** Links of `/etc/resolv.conf` lead here. */
const resolverFolders = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager']
/** Container images often keep the application here. */
const hiddenFolders = ['/usr/src', '/usr/local/src']
/** A scan of `/etc` for private files ends after this many entries. */
const MAX_SCANNED = 20_000

/** Arguments that show the folders of the system read-only. */
export function showSystem(): readonly string[] {
  return [...systemFolders, ...resolverFolders].flatMap((path) => {
    const stats = look(path)
    if (stats === undefined) return []
    return stats.isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path]
  })
}

/** Arguments that hide application folders and, from a server that is root, files that only root may read or write. */
export function hideSystem(isRoot: boolean): readonly string[] {
  const folders = [...hiddenFolders, ...hiddenApplication()].filter(existsSync)
  return [
    ...folders.flatMap((path) => ['--tmpfs', path]),
    ...(isRoot ? [...protectKernelSettings(), ...privateEntries('/etc').flatMap(mask)] : []),
  ]
}

/** The arguments that put nothing in the place of a file or folder. */
export function mask(path: string): readonly string[] {
  const stats = look(path)
  if (stats === undefined) return []
  return stats.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Folders of programs outside the system's, such as a version manager's, and the modules beside Node's own. */
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

/** The server's own folder, if it lies in one that is shown. */
function hiddenApplication(): readonly string[] {
  const cwd = process.cwd()
  return isSystem(cwd) && !isProgramFolder(cwd) && !systemFolders.includes(cwd) ? [cwd] : []
}

/**
 * The kernel takes the user of a namespace that root has made for root: without this a command could change
 * `core_pattern` and have the host run a program.
 */
function protectKernelSettings(): readonly string[] {
  const writable = readdirSync('/proc', { withFileTypes: true }).filter(
    (entry) => entry.isFile() && ((look(join('/proc', entry.name))?.mode ?? 0) & 0o200) !== 0,
  )
  return [
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    ...writable.flatMap(({ name }) => mask(join('/proc', name))),
  ]
}

/** Entries that others than their owner may not read: the namespace's user counts as the owner. */
function privateEntries(top: string): readonly string[] {
  const found: string[] = []
  const folders = [top]
  let scanned = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (++scanned > MAX_SCANNED) return [...found, ...folders, folder]
      if (!entry.isFile() && !entry.isDirectory()) continue
      const path = join(folder, entry.name)
      if (((look(path)?.mode ?? 0) & 0o004) === 0) found.push(path)
      else if (entry.isDirectory()) folders.push(path)
    }
  }
  return found
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
