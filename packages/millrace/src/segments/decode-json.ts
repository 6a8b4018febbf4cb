import { createPartialJson } from '../json/index.ts'
import type { JsonValue } from '../json/index.ts'

/** How {@link decodeJson} takes a text. */
export interface DecodeJsonOptions {
  /** Deeper nesting is no value, so that whoever walks the value has a bound. */
  readonly maxDepth: number
  /** Whether to take what there is of a text that was cut. */
  readonly truncated?: boolean
}

/** The value of a JSON text, or undefined if it is none: what a model writes never throws. */
export function decodeJson(
  text: string,
  { maxDepth, truncated = false }: DecodeJsonOptions,
): JsonValue | undefined {
  const reader = createPartialJson({ maxDepth })
  reader.feed(text)
  if (!truncated) reader.finish()
  return truncated || reader.status === 'complete' ? reader.value : undefined
}
