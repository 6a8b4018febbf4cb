export { addCost, noCost, noUsage, toWireCost } from '../events/index.ts'
export type { Cost, Usage, WireCost } from '../events/index.ts'
export { PRICES_OF, costOf, findPrice, mergePrices, prices } from '../models/pricing/index.ts'
export type {
  CostOptions,
  FoundPrice,
  LongContext,
  Price,
  PriceTable,
} from '../models/pricing/index.ts'
