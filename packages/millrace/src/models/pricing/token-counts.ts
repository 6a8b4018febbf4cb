import type { Usage } from '../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** The priced counts of a usage report. Each token is in exactly one of them. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  /** Written for the provider's default lifetime. */
  readonly cacheWrite: number
  readonly cacheWrite1h: number
  readonly webSearches: number
}

/**
 * Reads the counts of a usage report, or of one of its iterations. `input_tokens` excludes cache reads and writes, so
 * nothing is subtracted. [COST-4]
 */
export function toTokenCounts(report: Usage | JsonObject): TokenCounts {
  const lifetimes = report['cache_creation']
  const cacheWrite1h = countIn(lifetimes, 'ephemeral_1h_input_tokens')
  const split = countIn(lifetimes, 'ephemeral_5m_input_tokens') + cacheWrite1h
  const written = Math.max(countIn(report, 'cache_creation_input_tokens'), split)
  return {
    input: countIn(report, 'input_tokens'),
    output: countIn(report, 'output_tokens'),
    cacheRead: countIn(report, 'cache_read_input_tokens'),
    cacheWrite: written - cacheWrite1h,
    cacheWrite1h,
    webSearches: countIn(report['server_tool_use'], 'web_search_requests'),
  }
}

/** Returns the size of the whole prompt, cached tokens included. */
export function promptTokensOf(counts: TokenCounts): number {
  return counts.input + counts.cacheRead + counts.cacheWrite + counts.cacheWrite1h
}

function countIn(report: Usage | JsonValue | undefined, field: string): number {
  const value = isJsonObject(report) ? report[field] : undefined
  // Limits a count to the exact range of a double; products with prices could overflow otherwise.
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}
