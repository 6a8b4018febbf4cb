/** What a model costs: US dollars for each million tokens, and factors for what makes a request dearer or cheaper. */
export interface Price {
  /** Tokens that are neither read from the cache nor written to it. */
  readonly input: number
  readonly output: number
  /** Tokens written to the cache for the provider's usual lifetime, five minutes at Anthropic. */
  readonly cacheWrite?: number
  /** Tokens written to the cache for an hour. */
  readonly cacheWrite1h?: number
  readonly cacheRead?: number
  /** US dollars for each search of the provider's web search. */
  readonly webSearch?: number
  readonly longContext?: LongContext
  /** Factor on all tokens of requests that are made in a batch. */
  readonly batch?: number
  /** Factor on all tokens of requests that are answered in fast mode. */
  readonly fast?: number
  /** Factor on all tokens of requests that must be answered in the United States. */
  readonly usOnly?: number
}

/** Prices of requests with long prompts, as factors on the usual ones. */
export interface LongContext {
  /** A prompt of more tokens than this, cached or not, is long. */
  readonly aboveTokens: number
  /** Factor on all that is read, written to the cache or read from it. */
  readonly input: number
  readonly output: number
}

/** Prices by the name of the model, without what names one snapshot of it. */
export type PriceTable = Readonly<Record<string, Price>>
