import type { WorkspaceLimits } from './limits.ts'
import type { Root } from './paths/root.ts'
import type { PathLock } from './writing/path-lock.ts'

/** Which calls a person must agree to: all, those that change something, or none. */
export type WorkspaceApproval = 'always' | 'changes' | 'never'

/** What the tools of one workspace share. */
export interface Workspace {
  readonly root: Root
  readonly limits: WorkspaceLimits
  readonly approve: WorkspaceApproval
  /** Calls of one turn run side by side; those that change the same file must not. */
  readonly lock: PathLock
}
