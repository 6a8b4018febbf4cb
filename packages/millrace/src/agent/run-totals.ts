import { addCost, addUsage, type Cost, type Usage } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'

/** What a run has used and cost, with the sub-agents that worked for it. */
export interface RunTotals {
  readonly usage: Usage
  readonly cost: Cost | null
}

/** Adds up a run and, however deep they go, the sub-agents of this run. */
export function totalsOf(state: AgentState): RunTotals {
  const own: RunTotals = { usage: state.usage, cost: state.cost }
  return Object.values(state.children ?? {})
    .filter(({ parent }) => parent?.runId === state.runId)
    .map(totalsOf)
    .reduce(
      (total, child) => ({
        usage: addUsage(total.usage, child.usage),
        cost: addCost(total.cost, child.cost),
      }),
      own,
    )
}
