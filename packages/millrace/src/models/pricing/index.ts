export { costOf } from './cost-of.ts'
export { mergePrices, type PriceTable } from './prices.ts'
