import { addCost, addUsage, type Cost, type Usage } from '../../events/index.ts'
import { costOf } from '../../models/pricing/index.ts'
import type { AgentSettings, Run } from '../run.ts'

/** What was used is paid for, whatever became of the answer. */
export function countUsage(run: Run, usage: Usage, model: string): void {
  const { state, settings } = run
  run.state = {
    ...state,
    usage: addUsage(state.usage, usage),
    cost: addCost(state.cost, priceOf(settings, usage, model)),
  }
}

/** What a model call has cost; null if the price of the model is not known. */
export function priceOf({ prices }: AgentSettings, usage: Usage, model: string): Cost | null {
  return costOf(model, usage, prices === undefined ? {} : { prices })
}
