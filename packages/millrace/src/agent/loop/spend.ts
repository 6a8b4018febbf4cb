import { addCost, addUsage, type Cost, type Usage } from '../../events/index.ts'
import { costOf } from '../../models/pricing/index.ts'
import type { AgentSettings, Run } from '../run.ts'

/** Adds the usage of a model call to the totals of the run. Failed attempts count too. */
export function countUsage(run: Run, usage: Usage, model: string): void {
  const { state, settings } = run
  run.state = {
    ...state,
    usage: addUsage(state.usage, usage),
    cost: addCost(state.cost, priceOf(settings, usage, model)),
  }
}

/** Returns the cost of a model call; null if the price of the model is unknown. */
export function priceOf({ prices }: AgentSettings, usage: Usage, model: string): Cost | null {
  return costOf(model, usage, prices === undefined ? {} : { prices })
}
