export {
  isCompletion,
  isFailureReason,
  type AgentEvent,
  type ApprovalRequest,
  type AnnouncedCall,
  type GeneratedFile,
  type LoggedEvent,
  type MessageToRun,
  type ResultContent,
  type ResultImage,
  type RunEnd,
  type RunError,
  type RunFailure,
  type QueueNotice,
  type QueueState,
  type RunInit,
  type Rollback,
  type ToolResult,
  type ToolStage,
  type ToolStatus,
} from './agent-event.ts'
export { addUsage, isBilledBeside, iterationsOf, toTokenCounts, toUsageTotals } from './usage.ts'
export { toCitation, type Citation } from './citation.ts'
export { toHistoryJson } from './visible-json.ts'
export {
  isBlank,
  isCall,
  isContentBlock,
  isResult,
  isServerCall,
  isServerResult,
  isThought,
} from './block-kinds.ts'
export { followingCallId } from './call-id.ts'
export {
  addToDigest,
  emptyDigest,
  toDigestText,
  toPlainMessages,
  type ConversationDigest,
  type PlainMessage,
} from './conversation-digest.ts'
export { addCost, noCost, type Cost } from './cost.ts'
export { noUsage, type ContentBlock, type Message, type Prompt, type Usage } from './message.ts'
export {
  isProviderEnd,
  retryOfCut,
  type MessageOutcome,
  type MessageRetry,
  type ProviderEnd,
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
} from './model-event.ts'
export type {
  CacheMark,
  CachePlan,
  Model,
  ModelRequest,
  Permit,
  ToolChoice,
  ToolSchema,
} from './model.ts'
export {
  isDecision,
  toDecisionFields,
  toApprovalsJson,
  toAwaitedJson,
  toRequestFields,
  toPromptText,
  toWireFile,
} from './encode/payloads.ts'
export { createFinalAnswer, toFinalAnswer, type FinalAnswer } from './final-answer.ts'
export { failureIn, failureOf, toErrorEvent, toRunError, toShownFailure } from './run-error.ts'
export {
  streamWithin,
  noTelemetry,
  silentSpan,
  type AgentTelemetry,
  type RunInfo,
  type SpanAttributes,
  type SpanInfos,
  type SpanOutcome,
  type WorkKind,
  type WorkSpan,
} from './telemetry.ts'
export {
  createCollector,
  isGrowing,
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  type CollectedResult,
} from './decode/collect.ts'
export { createDecoder, type Decoder } from './decode/decode.ts'
export {
  frameStart,
  decodeEnvelope,
  encodeEnvelope,
  blockKey,
  type Envelope,
  type Extras,
  createEnvelopeDecoder,
} from './envelope/envelope.ts'
export { createStepTracker, type BlockOpening } from './decode/step-tracker.ts'
export {
  firstIdOf,
  type CallPiece,
  type CitationEvent,
  type OfType,
  type PauseEvent,
  type PausedCall,
  type Piece,
  type StatusEvent,
  type StreamEvent,
} from './decode/stream-event.ts'
export { dataOf, addMembers, objectsIn, wireTypeOf } from './decode/whole-event.ts'
export { createVerifier, type Verifier, type Violation } from './verify/verify.ts'
export { catalog, HIDDEN_TYPE, type EnvelopeType } from './catalog/catalog.ts'
export { MAX_SSE_CHUNK_BYTES, MIN_SSE_CHUNK_BYTES } from './envelope/chunk.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  FieldKind,
  RunPhase,
} from './catalog/envelope-traits.ts'
export {
  canBeInterrupted,
  isOfProvider,
  isPauseReason,
  isProse,
  traitsOf,
  traitsOfEvent,
  typesWith,
} from './catalog/find-traits.ts'
export { createJoiner } from './envelope/join.ts'
export {
  createEnvelopeMapper,
  createEnvelopeWriter,
  type EnvelopeWriter,
  type EnvelopeWriterOptions,
  type EventEncoder,
  type HistoryMode,
  type ImageUrl,
} from './encode/envelope-writer.ts'
