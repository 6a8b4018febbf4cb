import type { Workspace, WorkspaceApproval } from './workspace.ts'

/** The effect of a tool on a workspace. */
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
