import { createPartialJson, type JsonValue } from '../json/index.ts'

interface DecodeJsonOptions {
  /** Deeper nesting is rejected, so that code that walks the value has a bound. */
  readonly maxDepth: number
  /** Whether to complete a text that was cut. */
  readonly truncated?: boolean
}

/** Parses a JSON text, or returns undefined if it is invalid: text of a model never throws. */
export function decodeJson(
  text: string,
  { maxDepth, truncated = false }: DecodeJsonOptions,
): JsonValue | undefined {
  const reader = createPartialJson({ maxDepth })
  reader.feed(text)
  if (!truncated) reader.finish()
  return truncated || reader.status === 'complete' ? reader.value : undefined
}
