import type { JsonObject, JsonValue } from '../../json/index.ts'
import { objectOf, toMetadata, wordsOf } from './ag-ui-run.ts'

/** Converts usage to AG-UI. Its input tokens include cache reads and writes; ours, like those of the Messages API, exclude them. */
export function toTokenUsage(
  usage: JsonValue | undefined,
  model: JsonValue | undefined,
): readonly JsonObject[] | undefined {
  const counts = objectOf(usage)
  const fresh = countOf(counts['input_tokens'])
  const outputTokens = countOf(counts['output_tokens'])
  if (fresh === undefined || outputTokens === undefined) return undefined
  const cachedInputTokens = countOf(counts['cache_read_input_tokens'])
  const cacheWriteInputTokens = countOf(counts['cache_creation_input_tokens'])
  const inputTokens = fresh + (cachedInputTokens ?? 0) + (cacheWriteInputTokens ?? 0)
  const totalTokens = inputTokens + outputTokens
  const entry = {
    model: wordsOf(model),
    inputTokens,
    outputTokens,
    totalTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
  }
  return [toMetadata(entry) ?? {}]
}

/** Converts AG-UI usage to the counts of a log. */
export function fromTokenUsage(entries: readonly JsonObject[]): JsonObject {
  const sum = (name: string): number =>
    entries.reduce((total, entry) => total + (countOf(entry[name]) ?? 0), 0)
  const read = sum('cachedInputTokens')
  const written = sum('cacheWriteInputTokens')
  return {
    input_tokens: Math.max(0, sum('inputTokens') - read - written),
    output_tokens: sum('outputTokens'),
    ...(written > 0 && { cache_creation_input_tokens: written }),
    ...(read > 0 && { cache_read_input_tokens: read }),
  }
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
