export { isMillraceError, MillraceError } from './errors/index.ts'
export type { ErrorCode, ErrorDetails, MillraceErrorOptions } from './errors/index.ts'
export * from './envelope/index.ts'
export * from './transcript/index.ts'
