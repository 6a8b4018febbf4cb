import { checkOptions, type OptionTypes } from '../errors/index.ts'
import type { Tool } from '../tools/index.ts'
import { toLimits, type WorkspaceLimits } from './limits.ts'
import { openRoot } from './paths/root.ts'
import { createReadFileTool, createReadImageTool } from './reading/read-file-tool.ts'
import { createGlobTool } from './searching/glob-tool.ts'
import { createGrepSearchTool } from './searching/grep-search-tool.ts'
import { createListDirTool } from './searching/list-dir-tool.ts'
import { createRunBashTool } from './shell/run-bash-tool.ts'
import type { CommandEnvironment } from './shell/safe-environment.ts'
import type { CommandUser, WorkspaceSandbox } from './shell/sandbox/sandbox.ts'
import { createPathLock, type Workspace, type WorkspaceApproval } from './workspace.ts'
import { createPatchFileTool } from './writing/patch-file-tool.ts'
import { createWriteFileTool } from './writing/write-file-tool.ts'

/** Options of {@link createWorkspaceTools}. */
export interface WorkspaceOptions {
  /** The folder that the tools are confined to. A link is resolved once, at creation. */
  readonly root: string
  /** Omits all tools that change files: `write_file`, `patch_file` and `run_bash`. */
  readonly readOnly?: boolean
  /** Calls that need approval. Default: `changes`. */
  readonly approve?: WorkspaceApproval
  readonly limits?: Partial<WorkspaceLimits>
  /** Environment variables of commands in addition to the harmless ones of the server: a value, or true to inherit one. */
  readonly env?: CommandEnvironment
  /** The path of the shell of `run_bash`; false omits the tool. */
  readonly shell?: string | false
  /** Confinement of commands. Default: `auto`. */
  readonly sandbox?: WorkspaceSandbox
  /** The network of commands: the server's (`shared`, the default) or, in the sandbox, `none`. */
  readonly network?: 'shared' | 'none'
  /** Absolute paths of further files and folders that commands in the sandbox can read. */
  readonly visible?: readonly string[]
  /** The user of commands, if the server runs as root. */
  readonly user?: CommandUser
}

const types: OptionTypes<WorkspaceOptions> = {
  root: 'string',
  readOnly: 'boolean',
  approve: 'any',
  limits: 'object',
  env: 'any',
  shell: 'any',
  sandbox: 'any',
  network: 'string',
  visible: 'list',
  user: 'object',
}

/**
 * Creates the tools for the files of one folder. File tools never leave it, also not through links. Commands run in a
 * sandbox if one is installed.
 */
export function createWorkspaceTools(options: WorkspaceOptions): readonly Tool[] {
  checkOptions('createWorkspaceTools', options, types)
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
