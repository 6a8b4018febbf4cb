export { checkRequests, permitRequest, toCheckedOptions } from './check-requests.ts'
export {
  malformedFrame,
  type MessageCut,
  type OpenBody,
  toBodyCut,
  truncated,
} from './message-body.ts'
export { OpenBlocks, type OpenBlock, type Prose } from './open-blocks.ts'
export {
  isTransientStatus,
  toRequestFailure,
  type FailureRules,
  type ProviderError,
} from './request-failure.ts'
export { streamMessage, type FrameReader, type MessageStreamOptions } from './stream-message.ts'
