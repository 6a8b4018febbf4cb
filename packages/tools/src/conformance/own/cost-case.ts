import { addCost, noCost, noUsage } from 'millrace/pricing'
import { type Usage } from 'millrace/anthropic'
import type { JsonObject } from 'millrace'
import { costOf, type PriceTable, toWireCost } from 'millrace/pricing'
import type { Task } from '../implementation.ts'

/** Returns the total cost of the requests of a case. */
export function costCase({ input: { model, usage, prices = {} } }: Task): JsonObject {
  const options = { prices: prices as unknown as PriceTable }
  const reports = usage as readonly Usage[]
  const total = (reports.length > 0 ? reports : [noUsage])
    .map((report) => costOf(String(model), report, options))
    .reduce(addCost, noCost)
  return { cost: toWireCost(total) }
}
