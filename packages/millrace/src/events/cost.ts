/** What model calls cost, in parts that add up to the total. Nothing is rounded. */
export interface Cost {
  readonly currency: 'USD'
  /** The row of the price table, or several joined by a comma where models share the cost. */
  readonly modelId: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Fees for tools that the provider runs, such as its web search. */
  readonly tools: number
  readonly total: number
  /** Whether a request was long enough for the higher prices of long prompts. */
  readonly longContext: boolean
}

/** The cost of what has not been asked yet: every total starts here, because null means unknown. */
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

/** Adds up costs; with a part of unknown price the total is unknown too, and stays so. [COST-2] */
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
