import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { badRequest, MillraceError } from '../../../errors/index.ts'
import type { Root } from '../../paths/root.ts'
import { findProgram } from '../find-program.ts'
import { openBubblewrap, STATUS_FD } from './bubblewrap.ts'

/** Wraps a command line in one that confines it. Both are a program and its arguments. */
export type SandboxWrapper = (
  argv: readonly string[],
  place: { readonly root: string; readonly cwd: string },
) => readonly string[]

/**
 * Confinement of commands: by bubblewrap if it works (`auto`), by bubblewrap or an error (`require`), none (`off`), or by a custom program.
 */
export type WorkspaceSandbox = 'auto' | 'require' | 'off' | SandboxWrapper

/** The user of commands. Only a server that runs as root can set one. */
export interface CommandUser {
  readonly uid: number
  readonly gid: number
}

/** Options of the sandbox of commands. */
export interface SandboxOptions {
  readonly sandbox: WorkspaceSandbox
  readonly network: 'shared' | 'none'
  readonly visible: readonly string[]
  readonly user: CommandUser | undefined
  readonly env: Readonly<Record<string, string>>
}

/** A command line that is ready to start. */
export interface Launch {
  readonly argv: readonly string[]
  /** Whether bubblewrap reports on `STATUS_FD`. */
  readonly reportsStatus: boolean
  readonly user: CommandUser | undefined
}

interface Sandbox {
  launch(shell: string, command: string, cwd: string): Launch
}

/** Both outputs go to one pipe, to keep their order. */
const MERGED = 'exec "$0" -c "$1" bash 2>&1'

/** Text that the shell writes to stderr when it is ready in a sandbox that reports. */
export const READY = 'ready\n'

/**
 * The shell waits for a line before it runs the command. Bubblewrap binds its processes to the server late, so that
 * they would survive a server that is killed earlier. Here they read the end of the input and exit.
 */
const WAIT_THEN_RUN = 'echo ready >&2; read -r _ && exec "$0" -c "$1" bash 2>&1 < /dev/null'

const modes: readonly unknown[] = ['auto', 'require', 'off']

/** Creates the sandbox of a workspace. Without one, it warns, or throws if one is required. */
export function openSandbox(root: Root, options: SandboxOptions): Sandbox {
  const { sandbox, user } = options
  check(options)
  if (typeof sandbox === 'function') {
    return {
      launch: (shell, command, cwd) => ({
        argv: sandbox([shell, '-c', MERGED, shell, command], { root: root.path, cwd }),
        reportsStatus: false,
        user,
      }),
    }
  }
  const opened = sandbox === 'off' ? OFF : openInstalled(root, options)
  if (typeof opened !== 'string') return opened
  if (sandbox === 'require') throw missing(opened)
  if (options.network === 'none') throw missing(`${opened} It is needed for \`network: 'none'\`.`)
  if (sandbox === 'auto') warn(opened)
  return {
    launch: (shell, command) => ({
      argv: [shell, '-c', MERGED, shell, command],
      reportsStatus: false,
      user,
    }),
  }
}

const OFF = 'The option `sandbox` is off.'

/** Opens bubblewrap. Returns the reason as a string if that is not possible. */
function openInstalled(root: Root, options: SandboxOptions): Sandbox | string {
  const { visible, network, env, user } = options
  if (process.platform !== 'linux') return `Bubblewrap does not exist for ${process.platform}.`
  const program = process.env['BWRAP_PATH'] ?? findProgram('bwrap', process.env['PATH'])
  if (program === undefined) return 'Bubblewrap (the program bwrap) is not installed.'
  if (root.path === '/') return 'The workspace is the root of the file system.'
  const isRoot = user === undefined && process.geteuid?.() === 0
  const paths = visible.map((path) => realpathSync.native(path))
  const view = { root: root.path, visible: paths, network, env, isRoot }
  const opened = openBubblewrap(program, view, user)
  if (typeof opened === 'string') return `Bubblewrap does not work here: ${opened}.`
  return {
    launch: (shell, command, cwd) => {
      const [bwrap = '', ...rest] = opened.wrap([shell, '-c', WAIT_THEN_RUN, shell, command], cwd)
      const status = ['--json-status-fd', String(STATUS_FD)]
      return { argv: [bwrap, ...status, ...rest], reportsStatus: true, user }
    },
  }
}

function check({ sandbox, network, visible, user }: SandboxOptions): void {
  if (typeof sandbox !== 'function' && !modes.includes(sandbox)) {
    throw bad("`sandbox` must be 'auto', 'require', 'off' or a function.")
  }
  if (!['shared', 'none'].includes(network)) throw bad("`network` must be 'shared' or 'none'.")
  if (typeof sandbox === 'function' && network === 'none') {
    throw bad("`network: 'none'` has no effect on a custom sandbox; disable the network there.")
  }
  const wrong = visible.find((path) => !isAbsolute(path) || !existsSync(path))
  if (wrong !== undefined) {
    throw bad(`\`visible\` names ${JSON.stringify(wrong)}; name absolute paths that exist.`)
  }
  if (user === undefined) return
  if (!isId(user.uid) || !isId(user.gid)) throw bad('`user` needs a `uid` and a `gid` above 0.')
  if (process.geteuid?.() !== 0) throw bad('Only a server that runs as root can set `user`.')
}

function isId(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0
}

function bad(message: string): MillraceError {
  return badRequest(message)
}

function missing(reason: string): MillraceError {
  return new MillraceError(
    'unsupported',
    `Workspace commands cannot be confined. ${reason} Install bubblewrap and allow user namespaces, or see docs/workspace.md for other ways.`,
  )
}

const warned = new Set<string>()

/** Prints a warning once, to stderr, when the process creates the tools. */
function warn(reason: string): void {
  if (warned.has(reason)) return
  warned.add(reason)
  process.emitWarning(
    `Workspace commands run without a sandbox: they can read everything that the server's user can read, including its environment. ${reason}`,
    { code: 'MILLRACE_NO_SANDBOX' },
  )
}
