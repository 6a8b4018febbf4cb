import type { PriceTable } from 'millrace/pricing'

/** Example prices of the emulated model, so that the demos show costs; they are never charged. Other models have their own prices. */
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
