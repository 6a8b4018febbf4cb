import { checkFormats } from './check-format.ts'
import type { Format } from './format.ts'

/** Checks a format and returns it: what cannot work is refused here, with what to change. */
export function defineFormat(format: Format): Format {
  checkFormats([format])
  return format
}
