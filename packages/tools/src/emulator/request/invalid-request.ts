import { MillraceError } from 'millrace'

/** Creates the error that names the invalid part of a request. */
export function invalidRequest(path: string, problem: string): MillraceError {
  return new MillraceError('bad_request', `${path}: ${problem}`)
}
