export { checkLimits, checkOptions, type OptionType, type OptionTypes } from './check-options.ts'
export { type ErrorCode, errorCodes } from './codes.ts'
export { loadPeer } from './load-peer.ts'
export { badRequest, isMillraceError, MillraceError } from './millrace-error.ts'
