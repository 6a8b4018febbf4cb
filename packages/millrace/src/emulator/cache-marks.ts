import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { refuse } from './request-problem.ts'

/** So many blocks of a request may be marked for the cache. */
const MAX_MARKS = 4

const thoughts: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** Refuses a request with marks for the cache where the API takes none, or with more than it takes. */
export function checkCacheMarks({ system, tools, messages }: JsonObject): void {
  const count = [system, tools, messages].reduce<number>((sum, part) => sum + marksIn(part), 0)
  if (count > MAX_MARKS)
    throw refuse('cache_control', `at most ${MAX_MARKS} blocks may have it, but ${count} do`)
}

/** Marks stand on blocks and tools, and on blocks inside the content of messages and results; never in tool input. */
function marksIn(part: JsonValue | undefined): number {
  if (isJsonArray(part)) return part.reduce<number>((sum, item) => sum + marksIn(item), 0)
  if (!isJsonObject(part)) return 0
  const { type, cache_control: mark, content } = part
  if (isJsonObject(mark) && thoughts.has(type))
    throw refuse('cache_control', `cannot stand on a ${String(type)} block`)
  return (isJsonObject(mark) ? 1 : 0) + marksIn(content)
}
