import { addCost, noCost, noUsage, type Usage } from '../../events/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { costOf, type PriceTable, toWireCost } from '../../pricing/index.ts'
import { differences } from './differences.ts'

/** Checks what requests cost by their usage, with the prices of the case laid over the table. */
export function checkCost(input: JsonObject, expected: JsonObject): string[] {
  const { model, usage, prices = {} } = input
  const options = { prices: prices as unknown as PriceTable }
  const reports = usage as readonly Usage[]
  const total = (reports.length > 0 ? reports : [noUsage])
    .map((report) => costOf(String(model), report, options))
    .reduce(addCost, noCost)
  const cost = toWireCost(total)
  return differences(expected, { ...withShortNames(cost ?? {}), cost })
}

/** A case may name a field with or without its last word: `total_cost` or `total`. */
function withShortNames(cost: JsonObject): JsonObject {
  const short = Object.entries(cost).map(([name, value]): [string, JsonValue] => [
    name.replace(/_(?:cost|applied)$/, ''),
    value,
  ])
  return { ...Object.fromEntries(short), ...cost }
}
