import { addCost, addUsage, type GeneratedFile } from '../../events/index.ts'
import type { AgentState, RunTotals, StoredTotals } from './agent-state.ts'

/** Adds up a run and the sub-agents of this run at any depth. */
export function totalsOf(state: AgentState): RunTotals {
  return Object.values(state.children ?? {})
    .filter(({ parent }) => parent?.runId === state.runId)
    .flatMap((child) => [child.earlier ?? [], totalsOf(child)].flat())
    .reduce<RunTotals>(addTotals, {
      usage: state.usage,
      cost: state.cost,
      files: filesOfRun(state),
    })
}

/** Adds up the usage, cost and files of two runs. */
export function addTotals(total: StoredTotals, more: StoredTotals): RunTotals {
  return {
    usage: addUsage(total.usage, more.usage),
    cost: addCost(total.cost, more.cost),
    files: [...(total.files ?? []), ...(more.files ?? [])],
  }
}

/** Returns the files that an agent itself generated in its latest run. */
export function filesOfRun({ files = [], fileStart = 0 }: AgentState): readonly GeneratedFile[] {
  return fileStart === 0 ? files : files.slice(fileStart)
}
