import { createPartialJson, type JsonValue } from '../../json/index.ts'

/** Parses the JSON object in an answer while it is written. */
export class OutputReader {
  readonly #partial = createPartialJson()

  /** Returns the object so far; undefined before it begins and after its end. */
  feed(text: string): JsonValue | undefined {
    const partial = this.#partial
    if (partial.status !== 'open') return undefined
    // A code fence may precede the object, and end in the same text as the object.
    partial.feed(partial.length > 0 ? text : text.slice(startOf(text)))
    return partial.value
  }
}

function startOf(text: string): number {
  const start = text.indexOf('{')
  return start < 0 ? text.length : start
}
