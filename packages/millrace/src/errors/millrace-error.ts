import type { ErrorCode } from './codes.ts'

/** Survives two copies of the package in one process, where `instanceof` does not. */
const brand: unique symbol = Symbol.for('millrace.error') as never

/** Facts that belong to an error and are safe to show to the person who caused it. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

/** What an error may be given besides its code and message. */
export interface MillraceErrorOptions {
  readonly details?: ErrorDetails
  readonly cause?: unknown
}

/** The one error class of the library: a code to branch on, a message that says what to do. */
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

/** Tells whether a caught value is a {@link MillraceError}, whichever copy of the library threw it. */
export function isMillraceError(value: unknown): value is MillraceError {
  return typeof value === 'object' && value !== null && brand in value
}
