import { checkFormats } from './check-format.ts'
import type { Format } from './format.ts'

/** Checks a format and returns it; an invalid format is rejected with the remedy. */
export function defineFormat(format: Format): Format {
  checkFormats([format])
  return format
}
