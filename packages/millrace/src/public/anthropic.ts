export { isProviderEnd, toUsageTotals } from '../events/index.ts'
export type {
  BlockCitation,
  BlockDelta,
  BlockEnd,
  BlockKind,
  BlockStart,
  ContentBlock,
  CutBlock,
  Message,
  MessageEnd,
  MessageOutcome,
  MessageRetry,
  MessageStart,
  Model,
  ModelEvent,
  ModelFailure,
  ModelNotice,
  ModelRequest,
  ModelStreamOptions,
  Permit,
  ToolSchema,
  Usage,
  UsageTotals,
} from '../events/index.ts'
export { createPartialJson } from '../json/index.ts'
export type { PartialJson, PartialJsonOptions, PartialJsonStatus } from '../json/index.ts'
export {
  anthropic,
  anthropicFiles,
  continueRequest,
  createMessageReader,
  parseEvent,
} from '../models/anthropic/index.ts'
export type {
  AnthropicFile,
  AnthropicFiles,
  AnthropicFilesOptions,
  AnthropicOptions,
  ContinueOptions,
  ExtraParams,
  MessageReader,
  MessageReaderOptions,
} from '../models/anthropic/index.ts'
export type { MessageCut } from '../models/stream/index.ts'
