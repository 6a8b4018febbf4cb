import { badRequest } from '../../errors/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { PriceTable } from './price.ts'
import { prices } from './prices.ts'

/** Merges custom prices into the table, row by row. Throws `bad_request` for an invalid price. */
export function mergePrices(own: PriceTable = {}): PriceTable {
  for (const [modelId, price] of Object.entries(own)) {
    const { longContext, ...figures } = { ...price }
    checkFigures(modelId, figures, ['input', 'output'])
    if (longContext === undefined) continue
    checkFigures(`${modelId}.longContext`, longContext, ['aboveTokens', 'input', 'output'])
  }
  return { ...prices, ...own }
}

/** Checks the figures of a price at run time, because prices are often read from a file. */
function checkFigures(place: string, value: unknown, required: readonly string[]): void {
  const figures: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {}
  const present = Object.keys(figures).filter((field) => figures[field] !== undefined)
  for (const field of new Set([...required, ...present])) {
    const figure = figures[field]
    if (typeof figure === 'number' && Number.isFinite(figure) && figure >= 0) continue
    throw badRequest(
      `The price ${place}.${field} is ${String(figure)}; give a number that is not negative.`,
    )
  }
}
