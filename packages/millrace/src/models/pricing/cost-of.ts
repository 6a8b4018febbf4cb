import { addCost, type Cost, noCost, type Usage } from '../../events/index.ts'
import { type BilledPart, toBilledParts } from './billed-parts.ts'
import { findPrice } from './find-price.ts'
import { mergePrices, type Price, type PriceTable } from './prices.ts'

/** Options of {@link costOf}. */
export interface CostOptions {
  /** Custom prices; each row replaces a row of the table. */
  readonly prices?: PriceTable
}

const MILLION = 1_000_000

/**
 * Computes the cost of one model request from its usage report. Returns null if a price is unknown. Add up costs of
 * requests, not usage: a higher price of a long prompt applies to that request only.
 */
export function costOf(
  modelId: string,
  usage: Usage,
  { prices = {} }: CostOptions = {},
): Cost | null {
  const table = mergePrices(prices)
  return toBilledParts(modelId, usage)
    .map((part) => costOfPart(part, usage, table))
    .reduce(addCost, noCost)
}

function costOfPart(part: BilledPart, usage: Usage, table: PriceTable): Cost | null {
  const { counts, promptTokens } = part
  const found = findPrice(part.modelId, table)
  const factor = found === undefined ? undefined : priceFactor(found.price, usage)
  if (found === undefined || factor === undefined) return null
  const { modelId, price } = found
  const long = price.longContext
  const isLong = long !== undefined && promptTokens > long.aboveTokens
  const inputFactor = isLong ? factor * long.input : factor
  const parts = {
    input: charge(counts.input, price.input, inputFactor),
    output: charge(counts.output, price.output, isLong ? factor * long.output : factor),
    cacheRead: charge(counts.cacheRead, price.cacheRead, inputFactor),
    cacheWrite:
      charge(counts.cacheWrite, price.cacheWrite, inputFactor) +
      charge(counts.cacheWrite1h, price.cacheWrite1h, inputFactor),
    tools: charge(counts.webSearches, price.webSearch, MILLION),
  }
  const total = parts.input + parts.output + parts.cacheRead + parts.cacheWrite + parts.tools
  if (Number.isNaN(total)) return null
  return { currency: 'USD', modelId, ...parts, total, longContext: isLong }
}

/** Returns NaN for a count without a price, so that every sum with it is NaN. */
function charge(count: number, price: number | undefined, factor: number): number {
  if (count === 0) return 0
  return price === undefined ? Number.NaN : (count * price * factor) / MILLION
}

/** Fields of a usage report that change the price: by a factor of the row, or not at all (null). */
const conditions: Readonly<
  Record<string, Readonly<Record<string, 'batch' | 'fast' | 'usOnly' | null>>>
> = {
  service_tier: { standard: null, default: null, batch: 'batch' },
  speed: { standard: null, fast: 'fast' },
  inference_geo: { global: null, not_available: null, us: 'usOnly' },
}

/** Returns the factor for all tokens of a request; undefined if it was served on terms without a known price. [COST-7] */
function priceFactor(price: Price, usage: Usage): number | undefined {
  let factor = 1
  for (const [field, terms] of Object.entries(conditions)) {
    const term = usage[field]
    if (typeof term !== 'string') continue
    const name = Object.hasOwn(terms, term) ? terms[term] : undefined
    if (name === null) continue
    const more = name === undefined ? undefined : price[name]
    if (more === undefined) return undefined
    factor *= more
  }
  return factor
}
