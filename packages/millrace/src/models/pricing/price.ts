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
