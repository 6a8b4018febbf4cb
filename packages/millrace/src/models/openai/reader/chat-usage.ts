import type { Usage } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/** Finds the usage in a chunk, in the fields of OpenAI, Moonshot or Groq. */
export function findUsage({ usage, x_groq: groq }: JsonObject, choice: JsonObject | undefined) {
  if (isJsonObject(usage)) return usage
  if (isJsonObject(choice?.['usage'])) return choice['usage']
  return isJsonObject(groq) && isJsonObject(groq['usage']) ? groq['usage'] : undefined
}

/**
 * Merges a later report into an earlier one. Reports are cumulative; null is ignored. `prompt_tokens` includes cached
 * tokens; `input_tokens` does not, so that the fields add up to the prompt.
 */
export function mergeChatUsage(usage: Usage, report: JsonObject): Usage {
  const { prompt_tokens, completion_tokens, ...others } = report
  const present = Object.entries(others).filter(([, value]) => value !== null)
  const read = cacheRead(report)
  const written = numberIn(report['prompt_tokens_details'], 'cache_write_tokens')
  return {
    // Built from entries, because an assignment to `__proto__` would change the prototype.
    ...usage,
    ...Object.fromEntries(present),
    ...(typeof prompt_tokens === 'number' && {
      input_tokens: Math.max(0, prompt_tokens - (read ?? 0) - (written ?? 0)),
    }),
    ...(typeof completion_tokens === 'number' && { output_tokens: completion_tokens }),
    ...(read !== undefined && { cache_read_input_tokens: read }),
    ...(written !== undefined && { cache_creation_input_tokens: written }),
  }
}

/** Reads the field of OpenAI, then of DeepSeek and Moonshot. */
function cacheRead(report: JsonObject): number | undefined {
  return (
    numberIn(report['prompt_tokens_details'], 'cached_tokens') ??
    numberIn(report, 'prompt_cache_hit_tokens') ??
    numberIn(report, 'cached_tokens')
  )
}

function numberIn(value: JsonValue | undefined, field: string): number | undefined {
  const found = isJsonObject(value) ? value[field] : undefined
  return typeof found === 'number' ? found : undefined
}
