export { checkRequests, toCheckedOptions } from './check-requests.ts'
export { toBodyCut, truncated, type OpenBody } from './message-body.ts'
export { malformedFrame, type MessageCut } from './message-cut.ts'
export { OpenBlocks, type OpenBlock, type Prose } from './open-blocks.ts'
export { permitRequest } from './permit-request.ts'
export {
  isTransientStatus,
  toRequestFailure,
  type FailureRules,
  type ProviderError,
} from './request-failure.ts'
export { streamMessage, type FrameReader, type MessageStreamOptions } from './stream-message.ts'
