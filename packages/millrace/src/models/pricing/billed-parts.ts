import { isBilledBeside, iterationsOf, type Usage } from '../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** Tokens that are billed at the prices of one model. */
export interface BilledPart {
  readonly modelId: string
  readonly counts: TokenCounts
  /** Size of its longest prompt. */
  readonly promptTokens: number
}

/**
 * Splits a usage report by model: the model that answered, compactions, advisors, and models that produced output
 * before they declined. [COST-6]
 */
export function toBilledParts(modelId: string, usage: Usage): readonly BilledPart[] {
  const steps = iterationsOf(usage)
  const fallback = steps.findLast(({ type }) => type === 'fallback_message')
  const answeredBy = fallback === undefined ? modelId : modelOf(fallback, modelId)
  const isDeclined = (step: JsonObject) =>
    fallback !== undefined && !isBilledBeside(step) && modelOf(step, modelId) !== answeredBy
  const own = steps.filter((step) => !isBilledBeside(step) && !isDeclined(step))
  const declined = steps.filter((step) => isDeclined(step) && countTokens(step).output > 0)
  return [
    toPart(answeredBy, countTokens(usage), own.map(countTokens)),
    ...[...steps.filter(isBilledBeside), ...declined].map((step) =>
      toPart(modelOf(step, modelId), countTokens(step)),
    ),
  ]
}

/**
 * Creates the part of one model. The report of a server tool loop adds up several prompts, so the longest prompt is
 * taken from the iterations.
 */
function toPart(
  modelId: string,
  counts: TokenCounts,
  steps: readonly TokenCounts[] = [],
): BilledPart {
  const longest = steps.reduce((most, step) => Math.max(most, promptTokensOf(step)), 0)
  return { modelId, counts, promptTokens: longest > 0 ? longest : promptTokensOf(counts) }
}

function modelOf({ model }: JsonObject, otherwise: string): string {
  return typeof model === 'string' ? model : otherwise
}

/** The priced counts of a usage report. Each token is in exactly one of them. */
interface TokenCounts {
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
function countTokens(report: Usage | JsonObject): TokenCounts {
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
function promptTokensOf(counts: TokenCounts): number {
  return counts.input + counts.cacheRead + counts.cacheWrite + counts.cacheWrite1h
}

function countIn(report: Usage | JsonValue | undefined, field: string): number {
  const value = isJsonObject(report) ? report[field] : undefined
  // Limits a count to the exact range of a double; products with prices could overflow otherwise.
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}
