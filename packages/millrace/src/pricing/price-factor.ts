import type { Usage } from '../events/index.ts'
import type { Price } from './price.ts'

/** Fields of a usage report that change the price: by a factor of the row, or not at all (null). */
const conditions: Readonly<
  Record<string, Readonly<Record<string, 'batch' | 'fast' | 'usOnly' | null>>>
> = {
  service_tier: { standard: null, default: null, batch: 'batch' },
  speed: { standard: null, fast: 'fast' },
  inference_geo: { global: null, not_available: null, us: 'usOnly' },
}

/**
 * Returns the factor for all tokens of a request; undefined if it was served on terms without a known price. [COST-7]
 */
export function priceFactor(price: Price, usage: Usage): number | undefined {
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
