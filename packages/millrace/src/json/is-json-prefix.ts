import { createPartialJson } from './partial-json.ts'

/**
 * Checks for the incomplete start of a JSON value. Returns false for blank text: some models send it for empty
 * arguments.
 */
export function isJsonPrefix(text: string): boolean {
  if (!/\S/.test(text)) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    const reader = createPartialJson()
    reader.feed(text)
    return reader.status === 'open'
  }
}
