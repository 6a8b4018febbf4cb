export { addCost, noCost, toWireCost, type Cost, type WireCost } from '../events/cost.ts'
export { noUsage, type Usage } from '../events/message.ts'
export { costOf, type CostOptions } from '../models/pricing/cost-of.ts'
export { findPrice, type FoundPrice } from '../models/pricing/find-price.ts'
export {
  type LongContext,
  mergePrices,
  type Price,
  prices,
  PRICES_OF,
  type PriceTable,
} from '../models/pricing/prices.ts'
