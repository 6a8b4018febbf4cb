export {
  isProviderEnd,
  type MessageOutcome,
  type MessageRetry,
  type BlockCitation,
  type BlockDelta,
  type BlockEnd,
  type BlockKind,
  type BlockStart,
  type CutBlock,
  type MessageEnd,
  type MessageStart,
  type ModelEvent,
  type ModelFailure,
  type ModelNotice,
} from '../events/model-event.ts'
export type { ContentBlock, Message, Usage } from '../events/message.ts'
export type {
  Model,
  ModelRequest,
  ModelStreamOptions,
  Permit,
  ToolChoice,
  ToolSchema,
} from '../events/model.ts'
export { toUsageTotals, type UsageTotals } from '../events/usage.ts'
export {
  createPartialJson,
  type PartialJson,
  type PartialJsonOptions,
  type PartialJsonStatus,
} from '../json/partial-json.ts'
export {
  anthropicFiles,
  type AnthropicFile,
  type AnthropicFiles,
  type AnthropicFilesOptions,
} from '../models/anthropic/anthropic-files.ts'
export { anthropic, type AnthropicOptions } from '../models/anthropic/anthropic.ts'
export {
  createMessageReader,
  type MessageReader,
  type MessageReaderOptions,
} from '../models/anthropic/reader/message-reader.ts'
export { parseEvent } from '../models/anthropic/reader/message-stream.ts'
export {
  continueRequest,
  type ContinueOptions,
} from '../models/anthropic/request/continue-request.ts'
export type { ExtraParams } from '../models/anthropic/request/message-params.ts'
export type { MessageCut } from '../models/stream/message-body.ts'
