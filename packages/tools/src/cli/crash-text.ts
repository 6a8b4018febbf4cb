import { isMillraceError } from 'millrace'
import { redactText } from 'millrace/redaction'

/** Maximum length of an error text on a terminal. */
const maxChars = 65_536

/** Formats an error for a terminal, without secrets. An unexpected one includes its stack. */
export function toCrashText(error: unknown): string {
  const text = isMillraceError(error) ? error.message : toStack(error)
  return redactText(text.slice(0, maxChars))
}

function toStack(error: unknown, depth = 1): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const because =
    cause === undefined || depth === 3 ? '' : `\nCaused by: ${toStack(cause, depth + 1)}`
  return `${error.stack ?? error.message}${because}`
}
