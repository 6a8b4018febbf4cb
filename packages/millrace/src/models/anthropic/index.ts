export { toUsageTotals } from '../../events/index.ts'
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
} from '../../events/index.ts'
export { createPartialJson } from '../../json/index.ts'
export type { PartialJson, PartialJsonOptions, PartialJsonStatus } from '../../json/index.ts'
export type { MessageCut } from '../stream/index.ts'
export { anthropic } from './anthropic.ts'
export type { AnthropicOptions } from './anthropic.ts'
export { anthropicFiles } from './anthropic-files.ts'
export type { AnthropicFile, AnthropicFiles, AnthropicFilesOptions } from './anthropic-files.ts'
export { continueRequest } from './request/continue-request.ts'
export type { ContinueOptions } from './request/continue-request.ts'
export type { ExtraParams } from './request/message-params.ts'
export { createMessageReader } from './reader/message-reader.ts'
export type { MessageReader, MessageReaderOptions } from './reader/message-reader.ts'
export { findServerToolUses } from './request/server-tools.ts'
export type { ServerToolUse } from './request/server-tools.ts'
export { parseEvent } from './reader/parse-event.ts'
export { dropForeign } from './request/remove-foreign.ts'
