import { checkFormats } from '../check-format.ts'
import type { Format } from '../format.ts'
import { type CompileOptions, compileFormats, type Grammar } from './compile-format.ts'

/** Maximum number of cached grammars; the oldest is evicted. An application uses few combinations of formats. */
const MAX_KEPT = 32

const numbers = new WeakMap<Format, number>()
const kept = new Map<string, Grammar>()
let count = 0

/**
 * Returns the grammar of formats, compiled once for each combination, because a parser is created for every
 * response.
 */
export function grammarOf(formats: readonly Format[], options: CompileOptions): Grammar {
  const { rules, toolInReasoning } = options
  const key = [rules.fences, rules.inline, toolInReasoning, ...formats.map(numberOf)].join()
  const known = kept.get(key)
  if (known !== undefined) return known
  checkFormats(formats)
  const grammar = compileFormats(formats, options)
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, grammar)
  return grammar
}

function numberOf(format: Format): number {
  const known = numbers.get(format)
  if (known !== undefined) return known
  numbers.set(format, ++count)
  return count
}
