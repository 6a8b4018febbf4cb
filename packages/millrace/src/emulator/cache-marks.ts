import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { refuse } from './request-problem.ts'

/** Maximum number of blocks with `cache_control` in a request. */
const MAX_MARKS = 4

const thoughts: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** Rejects a request with `cache_control` in a place that the API does not accept, or on too many blocks. */
export function checkCacheMarks({ system, tools, messages }: JsonObject): void {
  const count = [system, tools, messages].reduce<number>((sum, part) => sum + marksIn(part), 0)
  if (count > MAX_MARKS)
    throw refuse('cache_control', `at most ${MAX_MARKS} blocks may have it, but ${count} do`)
}

/**
 * Counts `cache_control` on tools, on blocks, and on blocks inside messages and tool results; never inside tool
 * input.
 */
function marksIn(part: JsonValue | undefined): number {
  if (isJsonArray(part)) return part.reduce<number>((sum, item) => sum + marksIn(item), 0)
  if (!isJsonObject(part)) return 0
  const { type, cache_control: mark, content } = part
  if (isJsonObject(mark) && thoughts.has(type))
    throw refuse('cache_control', `cannot stand on a ${String(type)} block`)
  return (isJsonObject(mark) ? 1 : 0) + marksIn(content)
}
