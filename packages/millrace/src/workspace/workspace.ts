import type { WorkspaceLimits } from './limits.ts'
import type { Root } from './paths/root.ts'

interface PathLock {
  hold<Result>(path: string, work: () => Promise<Result>): Promise<Result>
}

/** Creates a lock. It holds no state for unused paths. */
export function createPathLock(): PathLock {
  const last = new Map<string, Promise<unknown>>()
  return {
    async hold(path, work) {
      const turn = (last.get(path) ?? Promise.resolve()).then(work)
      const done = turn.catch(() => {})
      last.set(path, done)
      try {
        return await turn
      } finally {
        if (last.get(path) === done) last.delete(path)
      }
    },
  }
}

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
