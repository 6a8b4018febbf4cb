import type { Usage } from '../events/index.ts'
import type { Price } from './price.ts'

/** How fields of a usage report change a price: by a factor of the row, or, where null, not at all. */
const conditions: Readonly<
  Record<string, Readonly<Record<string, 'batch' | 'fast' | 'usOnly' | null>>>
> = {
  service_tier: { standard: null, default: null, batch: 'batch' },
  speed: { standard: null, fast: 'fast' },
  inference_geo: { global: null, not_available: null, us: 'usOnly' },
}

/** The factor on all tokens of a request; undefined if it was served on terms that have no known price. [COST-7] */
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
