import { isMillraceError } from 'millrace'
import { redactText } from 'millrace/redaction'

/** The longest text of an error that a terminal is shown. */
const maxChars = 65_536

/** Writes an error for a terminal, without secrets; an unforeseen one with its stack, which a report needs. */
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
