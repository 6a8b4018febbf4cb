export { addCost, noCost, noUsage } from '../events/index.ts'
export type { Cost, Usage } from '../events/index.ts'
export {
  PRICES_OF,
  costOf,
  findPrice,
  mergePrices,
  prices,
  toWireCost,
} from '../models/pricing/index.ts'
export type {
  CostOptions,
  FoundPrice,
  LongContext,
  Price,
  PriceTable,
  WireCost,
} from '../models/pricing/index.ts'
