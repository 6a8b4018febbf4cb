import { MillraceError } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import { toLimits, type WorkspaceLimits } from './limits.ts'
import { openRoot } from './paths/root.ts'
import { createReadFileTool } from './reading/read-file-tool.ts'
import { createReadImageTool } from './reading/read-image-tool.ts'
import { createGlobTool } from './searching/glob-tool.ts'
import { createGrepSearchTool } from './searching/grep-search-tool.ts'
import { createListDirTool } from './searching/list-dir-tool.ts'
import { createRunBashTool } from './shell/run-bash-tool.ts'
import type { CommandEnvironment } from './shell/safe-environment.ts'
import type { CommandUser, WorkspaceSandbox } from './shell/sandbox/sandbox.ts'
import type { Workspace, WorkspaceApproval } from './workspace.ts'
import { createPatchFileTool } from './writing/patch-file-tool.ts'
import { createPathLock } from './writing/path-lock.ts'
import { createWriteFileTool } from './writing/write-file-tool.ts'

/** What workspace tools are built from. */
export interface WorkspaceOptions {
  /** The folder that the tools stay in; a link is followed once, now. */
  readonly root: string
  /** Leaves out every tool that changes something: `write_file`, `patch_file` and `run_bash`. */
  readonly readOnly?: boolean
  /** Which calls a person must agree to; those that change something if not said. */
  readonly approve?: WorkspaceApproval
  readonly limits?: Partial<WorkspaceLimits>
  /** Variables of commands besides a few harmless ones of the server: a value, or true for the server's own. */
  readonly env?: CommandEnvironment
  /** The shell of `run_bash`, by its path; false leaves the tool out. */
  readonly shell?: string | false
  /** How commands are confined; `auto` if not said. */
  readonly sandbox?: WorkspaceSandbox
  /** The network of commands: the server's (`shared`, the default) or, in the sandbox, `none`. */
  readonly network?: 'shared' | 'none'
  /** Absolute paths of further files and folders that commands in the sandbox can read. */
  readonly visible?: readonly string[]
  /** The user that commands run as, if the server runs as root. */
  readonly user?: CommandUser
}

const known: ReadonlySet<string> = new Set<keyof WorkspaceOptions>([
  ...(['root', 'readOnly', 'approve', 'limits', 'env', 'shell'] as const),
  ...(['sandbox', 'network', 'visible', 'user'] as const),
])

/**
 * Creates the tools with which a model works on the files of one folder. File tools stay inside it, links included;
 * commands are confined by a sandbox where one is installed.
 */
export function createWorkspaceTools(options: WorkspaceOptions): readonly Tool[] {
  checkNames(options)
  const { root, readOnly = false, approve = 'changes', limits, env = {}, shell } = options
  const { sandbox = 'auto', network = 'shared', visible = [], user } = options
  const workspace: Workspace = {
    root: openRoot(root),
    limits: toLimits(limits),
    approve,
    lock: createPathLock(),
  }
  const reading = [
    createReadFileTool(workspace),
    createReadImageTool(workspace),
    createListDirTool(workspace),
    createGlobTool(workspace),
    createGrepSearchTool(workspace),
  ]
  if (readOnly) return reading
  const writing = [createWriteFileTool(workspace), createPatchFileTool(workspace)]
  if (shell === false) return [...reading, ...writing]
  const confinement = { sandbox, network, visible, user }
  return [...reading, ...writing, createRunBashTool(workspace, { env, shell, ...confinement })]
}

function checkNames(options: WorkspaceOptions): void {
  const unknown = Object.keys(options).find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new MillraceError(
    'bad_request',
    `Workspace tools have no option \`${unknown}\`; they take ${[...known].join(', ')}.`,
  )
}
