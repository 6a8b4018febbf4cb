export { checkLimits } from './check-limits.ts'
export { type ErrorCode, errorCodes } from './codes.ts'
export { isMillraceError, MillraceError } from './millrace-error.ts'
export type { ErrorDetails, MillraceErrorOptions } from './millrace-error.ts'
