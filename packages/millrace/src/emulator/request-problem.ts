import { MillraceError } from '../errors/index.ts'

/** The error that says which part of a request cannot be used. */
export function refuse(path: string, problem: string): MillraceError {
  return new MillraceError('bad_request', `${path}: ${problem}`)
}
