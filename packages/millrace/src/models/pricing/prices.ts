import { badRequest } from '../../errors/index.ts'
import { isJsonObject } from '../../json/index.ts'

/** The price of a model in US dollars per million tokens, and factors for special terms. */
export interface Price {
  /** Tokens that are neither read from the cache nor written to it. */
  readonly input: number
  readonly output: number
  /** Tokens written to the cache for the provider's default lifetime, five minutes at Anthropic. */
  readonly cacheWrite?: number
  /** Tokens written to the cache for an hour. */
  readonly cacheWrite1h?: number
  readonly cacheRead?: number
  /** US dollars per search of the provider's web search. */
  readonly webSearch?: number
  readonly longContext?: LongContext
  /** Factor for all tokens of batch requests. */
  readonly batch?: number
  /** Factor for all tokens of requests in fast mode. */
  readonly fast?: number
  /** Factor for all tokens of requests that must be processed in the United States. */
  readonly usOnly?: number
}

/** Prices of requests with long prompts, as factors of the usual prices. */
export interface LongContext {
  /** A prompt with more tokens than this, cached or not, is long. */
  readonly aboveTokens: number
  /** Factor for all input, cache writes and cache reads. */
  readonly input: number
  readonly output: number
}

/** Prices by model name, without snapshot suffixes. */
export type PriceTable = Readonly<Record<string, Price>>

/** Date of the newest figure in {@link prices}. Later changes of a provider are not included. */
export const PRICES_OF = '2026-10-27'

/** Web search is $10 per thousand searches; a batch costs half. */
const claude = { webSearch: 0.01, batch: 0.5 } as const
/** Since 4.6, a request can be bound to the United States at a surcharge of 10 %. */
const claude46 = { ...claude, usOnly: 1.1 } as const
const gpt = { longContext: { aboveTokens: 272_000, input: 2, output: 1.5 }, batch: 0.5 } as const

/** Creates a price from figures in the column order of Anthropic's list. */
function list(
  input: number,
  cacheWrite: number,
  cacheWrite1h: number,
  cacheRead: number,
  output: number,
) {
  return { input, cacheWrite, cacheWrite1h, cacheRead, output }
}

const sonnet = list(3, 3.75, 6, 0.3, 15)
const opus = list(5, 6.25, 10, 0.5, 25)
const above200k = { aboveTokens: 200_000, input: 2, output: 1.5 } as const
const above100k = { aboveTokens: 100_000, input: 5, output: 5 } as const

/**
 * Prices from the providers' published lists. A model without a known price has no row. Discontinued models, and long
 * prompts to Sonnet 4 and 4.5, have the last published price.
 */
export const prices = {
  'claude-fable-5-1': { ...claude46, ...list(10, 12.5, 20, 0.25, 50) },
  'claude-mythos-5-1': { ...claude46, ...list(10, 12.5, 20, 0.25, 50) },
  'claude-fable-5': { ...claude46, ...list(10, 12.5, 20, 1, 50) },
  'claude-mythos-5': { ...claude46, ...list(10, 12.5, 20, 1, 50) },
  'claude-opus-5-5': { ...claude46, ...list(4, 5, 8, 0.2, 20), fast: 2 },
  'claude-opus-5': { ...claude46, ...opus, fast: 2 },
  'claude-opus-4-8': { ...claude46, ...opus, fast: 2 },
  'claude-opus-4-7': { ...claude46, ...opus },
  'claude-opus-4-6': { ...claude46, ...opus },
  'claude-opus-4-5': { ...claude, ...opus },
  'claude-opus-4-1': { ...claude, ...list(15, 18.75, 30, 1.5, 75) },
  'claude-opus-4': { ...claude, ...list(15, 18.75, 30, 1.5, 75) },
  'claude-sonnet-5-5': { ...claude46, ...list(2, 2.5, 4, 0.1, 10) },
  'claude-sonnet-5': { ...claude46, ...list(2, 2.5, 4, 0.2, 10) },
  'claude-sonnet-4-6': { ...claude46, ...sonnet },
  'claude-sonnet-4-5': { ...claude, ...sonnet, longContext: above200k },
  'claude-sonnet-4': { ...claude, ...sonnet, longContext: above200k },
  'claude-3-7-sonnet': { ...claude, ...sonnet },
  'claude-haiku-5-5': {
    ...claude46,
    ...list(0.1, 0.125, 0.2, 0.01, 0.5),
    longContext: above100k,
  },
  'claude-haiku-4-5': { ...claude, ...list(1, 1.25, 2, 0.1, 5) },
  'claude-3-5-haiku': { ...claude, ...list(0.8, 1, 1.6, 0.08, 4) },
  'gpt-6.1-sol': { ...gpt, input: 2, cacheWrite: 2.5, cacheRead: 0.1, output: 10 },
  'gpt-6.1-terra': { ...gpt, input: 1, cacheWrite: 1.25, cacheRead: 0.05, output: 5 },
  'gpt-6-astra': { ...gpt, input: 10, cacheWrite: 12.5, cacheRead: 1, output: 50 },
  'gpt-6-sol': { ...gpt, input: 2, cacheWrite: 2.5, cacheRead: 0.2, output: 10 },
  'gpt-6-luna': { ...gpt, input: 0.1, cacheWrite: 0.125, cacheRead: 0.01, output: 0.5 },
} satisfies PriceTable

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
