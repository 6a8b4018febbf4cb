import { isMillraceError, MillraceError } from 'millrace'

/** Creates the error for a misused command. */
export function misuse(message: string): MillraceError {
  return new MillraceError('bad_request', message)
}

/** Whether an error reports misuse, by us or by `parseArgs`. */
export function isMisuse(error: unknown): error is Error {
  if (isMillraceError(error)) return error.code === 'bad_request'
  const code = error instanceof TypeError && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS')
}
