import type { WorkspaceLimits } from './limits.ts'
import type { Root } from './paths/root.ts'
import type { PathLock } from './writing/path-lock.ts'

/** Calls that need approval: all, those that change files, or none. */
export type WorkspaceApproval = 'always' | 'changes' | 'never'

/** Shared state of the tools of one workspace. */
export interface Workspace {
  readonly root: Root
  readonly limits: WorkspaceLimits
  readonly approve: WorkspaceApproval
  /** Calls of one step run concurrently. Calls that change the same file must not. */
  readonly lock: PathLock
}

type Effect = 'reads' | 'changes'

const asked: Readonly<Record<WorkspaceApproval, readonly Effect[]>> = {
  always: ['reads', 'changes'],
  changes: ['changes'],
  never: [],
}

/** Checks whether the calls of a tool need approval. */
export function needsApproval({ approve }: Workspace, effect: Effect): boolean {
  return asked[approve].includes(effect)
}
