import { addCost, noCost, noUsage, type Usage } from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import { costOf, type PriceTable, toWireCost } from '../../../models/pricing/index.ts'
import type { Task } from '../implementation.ts'

/** What the requests of a case cost together. */
export function costCase({ input: { model, usage, prices = {} } }: Task): JsonObject {
  const options = { prices: prices as unknown as PriceTable }
  const reports = usage as readonly Usage[]
  const total = (reports.length > 0 ? reports : [noUsage])
    .map((report) => costOf(String(model), report, options))
    .reduce(addCost, noCost)
  return { cost: toWireCost(total) }
}
