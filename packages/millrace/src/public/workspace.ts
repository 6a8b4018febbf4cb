export { createWorkspaceTools, type WorkspaceOptions } from '../workspace/create-workspace-tools.ts'
export type { WorkspaceLimits } from '../workspace/limits.ts'
export type { CommandEnvironment } from '../workspace/shell/safe-environment.ts'
export type {
  CommandUser,
  SandboxWrapper,
  WorkspaceSandbox,
} from '../workspace/shell/sandbox/sandbox.ts'
export type { WorkspaceApproval } from '../workspace/workspace.ts'
