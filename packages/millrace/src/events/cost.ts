/** The cost of model calls, in parts that add up to the total. Not rounded. */
export interface Cost {
  readonly currency: 'USD'
  /** The row of the price table, or several rows joined by commas. */
  readonly modelId: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Fees for tools that the provider runs, such as web search. */
  readonly tools: number
  readonly total: number
  /** Whether the higher prices of long prompts applied to a request. */
  readonly longContext: boolean
}

/** A cost of zero, the start of every sum. Null means unknown. */
export const noCost: Cost = {
  currency: 'USD',
  modelId: '',
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  tools: 0,
  total: 0,
  longContext: false,
}

/** Adds two costs. A sum with an unknown part is unknown. [COST-2] */
export function addCost(total: Cost | null, more: Cost | null): Cost | null {
  if (total === null || more === null) return null
  return {
    currency: total.currency,
    modelId: joinNames(total.modelId, more.modelId),
    input: total.input + more.input,
    output: total.output + more.output,
    cacheRead: total.cacheRead + more.cacheRead,
    cacheWrite: total.cacheWrite + more.cacheWrite,
    tools: total.tools + more.tools,
    total: total.total + more.total,
    longContext: total.longContext || more.longContext,
  }
}

function joinNames(names: string, more: string): string {
  if (names === more || more === '') return names
  const all = new Set([...names.split(', '), ...more.split(', ')])
  all.delete('')
  return [...all].join(', ')
}

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
