export { checkLimits, checkOptions, type OptionType, type OptionTypes } from './check-options.ts'
export {
  type ErrorCode,
  errorCodes,
  badRequest,
  isMillraceError,
  MillraceError,
} from './millrace-error.ts'
export { loadPeer } from './load-peer.ts'
