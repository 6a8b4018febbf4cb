import { createPartialJson } from './partial-json.ts'

/**
 * Tells whether a text is the start of a JSON value that lacks its end. Blank text is not: some models write nothing
 * where they mean no arguments.
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
