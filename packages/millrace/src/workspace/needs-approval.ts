import type { Workspace, WorkspaceApproval } from './workspace.ts'

/** What a tool does to a workspace. */
export type Effect = 'reads' | 'changes'

const asked: Readonly<Record<WorkspaceApproval, readonly Effect[]>> = {
  always: ['reads', 'changes'],
  changes: ['changes'],
  never: [],
}

/** Tells whether a person must agree to the calls of a tool. */
export function needsApproval({ approve }: Workspace, effect: Effect): boolean {
  return asked[approve].includes(effect)
}
