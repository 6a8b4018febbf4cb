import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { isWithin } from '../../paths/root.ts'
import { missingJournals, serverFiles } from '../../paths/server-files.ts'
import { hideSystem, mask, programFolders, showSystem } from './system-view.ts'

/** The file system and network of a confined command. */
interface SandboxView {
  /** The workspace: readable and writable, with links resolved. */
  readonly root: string
  /** Further files and folders that can be read. */
  readonly visible: readonly string[]
  readonly network: 'shared' | 'none'
  readonly env: Readonly<Record<string, string>>
  /** Whether the kernel runs commands as root. */
  readonly isRoot: boolean
}

interface Bubblewrap {
  /** Returns the command line that runs another one confined. */
  wrap(argv: readonly string[], cwd: string): readonly string[]
}

/** The file descriptor on which bubblewrap reports the process id and the exit code of a command. */
export const STATUS_FD = 3

const PROBE_TIMEOUT_MS = 10_000
const NOBODY = '65534'

const isolation = toWords(
  `--unshare-user --uid ${NOBODY} --gid ${NOBODY}`,
  '--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try',
  '--cap-drop ALL --new-session --die-with-parent',
)

/** Splits lines into arguments without spaces. */
function toWords(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** Options that some versions lack, in order of preference: `--disable-userns` requires 0.8. */
const optional: readonly (readonly string[])[] = [['--disable-userns'], []]

/** Checks that bubblewrap works. Returns the reason as a string if it does not. */
export function openBubblewrap(
  program: string,
  view: SandboxView,
  user: { readonly uid?: number; readonly gid?: number } = {},
): Bubblewrap | string {
  const fixed = toArguments(view)
  let problem = ''
  for (const extra of optional) {
    const wrap: Bubblewrap['wrap'] = (argv, cwd) => [
      program,
      ...isolation,
      ...extra,
      ...fixed,
      ...hideServerFiles(view),
      '--remount-ro',
      '/',
      '--chdir',
      cwd,
      '--',
      ...argv,
    ]
    problem = probe(wrap(['/bin/sh', '-c', ':'], view.root), { ...user, env: { ...view.env } })
    if (problem === '') return { wrap }
  }
  return problem
}

function toArguments({ root, visible, network, env, isRoot }: SandboxView): readonly string[] {
  return [
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...showSystem(),
    ...toWords('--proc /proc --dev /dev --tmpfs /tmp --tmpfs /var/tmp'),
    ...hideSystem(isRoot),
    ...hideHome(env['HOME'], root),
    ...[...programFolders(env['PATH']), ...visible].flatMap((path) => ['--ro-bind', path, path]),
    '--bind',
    root,
    root,
  ]
}

/** Mounts an empty home directory, unless the home is in the workspace. */
function hideHome(home: string | undefined, root: string): readonly string[] {
  if (home === undefined || !home.startsWith('/') || home === '/' || isWithin(root, home)) return []
  return ['--tmpfs', home]
}

/**
 * Hides the server's files in visible folders. Their parent folders are mounted on themselves, because a mount point
 * cannot be renamed: a command could otherwise rename a folder and reach a file without its mask.
 */
function hideServerFiles({ root, visible }: SandboxView): readonly string[] {
  const folders = [root, ...visible]
  const files = serverFiles().filter((file) => folders.some((folder) => isWithin(folder, file)))
  const above = new Set(
    files.flatMap((file) =>
      parents(file).filter((path) =>
        folders.some((folder) => folder !== path && isWithin(folder, path)),
      ),
    ),
  )
  const mounts = [...above].sort((a, b) => a.length - b.length)
  return [
    ...mounts.flatMap((path) => [isWithin(root, path) ? '--bind' : '--ro-bind', path, path]),
    ...files.flatMap(mask),
    // A forged journal would be rolled back into the database, so its path is occupied where a command could write
    // it.
    ...missingJournals().flatMap((path) =>
      isWithin(root, path) ? ['--ro-bind', '/dev/null', path] : [],
    ),
  ]
}

function parents(file: string): readonly string[] {
  const above = dirname(file)
  return above === file ? [] : [above, ...parents(above)]
}

interface ProbeOptions {
  readonly uid?: number
  readonly gid?: number
  readonly env: Record<string, string>
}

/** Runs a command line as a test. Returns the problem, or an empty string. */
function probe([program = '', ...args]: readonly string[], options: ProbeOptions): string {
  const { error, status, stderr } = spawnSync(program, args, {
    ...options,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
  })
  if (error !== undefined) return error.message
  return status === 0 ? '' : stderr.trim() || `it ended with status ${status}`
}
