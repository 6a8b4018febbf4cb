export { createWorkspaceTools } from '../workspace/index.ts'
export type {
  CommandEnvironment,
  CommandUser,
  SandboxWrapper,
  WorkspaceApproval,
  WorkspaceLimits,
  WorkspaceOptions,
  WorkspaceSandbox,
} from '../workspace/index.ts'
