import { MillraceError } from '../errors/index.ts'
import { type JsonValue, parseJsonOr } from './json-value.ts'
import type { SchemaIssue, StandardSchema } from './standard-schema.ts'

/** A code fence around a whole answer, which many models write despite instructions. */
const FENCE = /^```\w*\s*\n([^]*?)\n?```$/

/** Reads the JSON value of an answer; undefined if it is no JSON. A code fence around it is ignored. */
export function readOutputJson(text: string): JsonValue | undefined {
  const trimmed = text.trim()
  return parseJsonOr(FENCE.exec(trimmed)?.[1] ?? trimmed, undefined)
}

/**
 * Parses a final answer as JSON, and validates it with a Standard Schema. A code fence around it is ignored. Rejects with `model_failed` if
 * the answer is not valid.
 */
export async function parseOutput<Output>(
  schema: StandardSchema<Output>,
  text: string,
): Promise<Output> {
  const value = readOutputJson(text)
  if (value === undefined) throw invalid(`it is not JSON: ${JSON.stringify(text.slice(0, 80))}`)
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw invalid(result.issues.slice(0, 3).map(describe).join('; '))
}

function invalid(problem: string): MillraceError {
  const remedy = 'Ask again, or give the schema to the agent as `output`.'
  return new MillraceError('model_failed', `The answer is no valid output: ${problem}. ${remedy}`)
}

function describe({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}
