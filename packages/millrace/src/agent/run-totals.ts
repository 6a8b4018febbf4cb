import { addCost, addUsage } from '../events/index.ts'
import type { AgentState, RunTotals } from './agent-state.ts'

/** Adds up a run and, however deep they go, the sub-agents of this run. */
export function totalsOf(state: AgentState): RunTotals {
  return Object.values(state.children ?? {})
    .filter(({ parent }) => parent?.runId === state.runId)
    .flatMap((child) => [totalsOf(child), child.earlier ?? []].flat())
    .reduce(addTotals, { usage: state.usage, cost: state.cost })
}

/** Adds up what two runs have used and cost. */
export function addTotals(total: RunTotals, more: RunTotals): RunTotals {
  return { usage: addUsage(total.usage, more.usage), cost: addCost(total.cost, more.cost) }
}
