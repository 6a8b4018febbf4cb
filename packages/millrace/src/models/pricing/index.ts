export { costOf } from './cost-of.ts'
export { mergePrices } from './merge-prices.ts'
export type { PriceTable } from './price.ts'
