import { isBilledBeside, iterationsOf, type Usage } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { promptTokensOf, type TokenCounts, toTokenCounts } from './token-counts.ts'

/** The share of one model in a request. */
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
  const declined = steps.filter((step) => isDeclined(step) && toTokenCounts(step).output > 0)
  return [
    toPart(answeredBy, toTokenCounts(usage), own.map(toTokenCounts)),
    ...[...steps.filter(isBilledBeside), ...declined].map((step) =>
      toPart(modelOf(step, modelId), toTokenCounts(step)),
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
