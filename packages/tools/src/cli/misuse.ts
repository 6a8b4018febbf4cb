import { isMillraceError, MillraceError } from 'millrace'

/** Says that a command was called with something that it does not understand. */
export function misuse(message: string): MillraceError {
  return new MillraceError('bad_request', message)
}

/** Tells whether an error says that a command was called wrongly: by us, or by `parseArgs`. */
export function isMisuse(error: unknown): error is Error {
  if (isMillraceError(error)) return error.code === 'bad_request'
  const code = error instanceof TypeError && 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_PARSE_ARGS')
}
