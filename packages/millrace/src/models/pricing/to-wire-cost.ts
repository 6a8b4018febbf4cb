import type { Cost } from '../../events/index.ts'

/** A cost on the wire, in US dollars. [COST-1] */
export type WireCost = {
  readonly input_cost: number
  readonly output_cost: number
  readonly cache_write_cost: number
  readonly cache_read_cost: number
  readonly tool_cost: number
  readonly total_cost: number
  readonly currency: 'USD'
  readonly model_id: string
  readonly long_context_applied: boolean
}

/** Six decimal places. A token can cost less than one unit of the last place, a request hardly ever. */
const MICRODOLLARS = 1_000_000

/** Rounds an amount for display. Sums are computed before rounding. */
export function roundCost(amount: number): number {
  const rounded = Math.round(amount * MICRODOLLARS) / MICRODOLLARS
  return Number.isFinite(rounded) ? rounded : amount
}

/** Converts a cost to its wire format, rounded. Null means unknown. */
export function toWireCost(cost: Cost | null): WireCost | null {
  if (cost === null) return null
  return {
    input_cost: roundCost(cost.input),
    output_cost: roundCost(cost.output),
    cache_write_cost: roundCost(cost.cacheWrite),
    cache_read_cost: roundCost(cost.cacheRead),
    tool_cost: roundCost(cost.tools),
    total_cost: roundCost(cost.total),
    currency: cost.currency,
    model_id: cost.modelId,
    long_context_applied: cost.longContext,
  }
}
