import type { PriceTable } from 'millrace/pricing'

/**
 * What the emulated model is said to cost, so that the demos show costs: an example in round figures, of no real model
 * and paid by nobody. A model of any other name keeps its own price.
 */
export const demoPrices: PriceTable = {
  emulator: {
    input: 1,
    output: 10,
    cacheWrite: 2,
    cacheWrite1h: 4,
    cacheRead: 0.1,
    webSearch: 0.01,
  },
}
