import type { ErrorCode } from './codes.ts'

/** Recognises errors across two copies of the package in one process, where `instanceof` fails. */
const brand: unique symbol = Symbol.for('millrace.error') as never

/** Facts about an error that are safe to show to the caller. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

/** Options of a {@link MillraceError}. */
export interface MillraceErrorOptions {
  readonly details?: ErrorDetails
  readonly cause?: unknown
}

/** The error class of the library. `code` is for programs; `message` states the problem and the remedy. */
export class MillraceError extends Error {
  override readonly name = 'MillraceError'
  declare readonly code: ErrorCode
  declare readonly details: ErrorDetails
  readonly [brand] = true

  constructor(code: ErrorCode, message: string, options: MillraceErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.details = options.details ?? {}
  }
}

/** Creates the most frequent error, that of an invalid request or option. */
export function badRequest(message: string, options?: MillraceErrorOptions): MillraceError {
  return new MillraceError('bad_request', message, options)
}

/** Checks for a {@link MillraceError}, also one thrown by another copy of the library. */
export function isMillraceError(value: unknown): value is MillraceError {
  return typeof value === 'object' && value !== null && brand in value
}
