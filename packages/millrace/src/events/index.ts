export {
  isCompletion,
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
export { addUsage } from './add-usage.ts'
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
} from './message-outcome.ts'
export type { CacheMark, CachePlan, Model, ModelRequest, Permit, ToolSchema } from './model.ts'
export { isDecision, toDecisionFields } from './decision-fields.ts'
export { createFinalAnswer, toFinalAnswer, type FinalAnswer } from './final-answer.ts'
export { failureIn, failureOf, toErrorEvent, toRunError, toShownFailure } from './run-error.ts'
export type {
  BlockCitation,
  BlockDelta,
  BlockEnd,
  BlockKind,
  BlockStart,
  CutBlock,
  MessageEnd,
  MessageStart,
  ModelEvent,
  ModelFailure,
  ModelNotice,
} from './model-event.ts'
export { streamWithin } from './stream-within.ts'
export {
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
export { isBilledBeside, iterationsOf } from './usage-iterations.ts'
export { toTokenCounts, toUsageTotals } from './usage-totals.ts'
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
export { frameStart } from './decode/frame-start.ts'
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
export { decodeEnvelope } from './envelope/decode.ts'
export { encodeEnvelope } from './envelope/encode.ts'
export { createEnvelopeDecoder } from './envelope/envelope-decoder.ts'
export { blockKey, type Envelope, type Extras } from './envelope/envelope.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  FieldKind,
  RunPhase,
} from './catalog/envelope-traits.ts'
export {
  canBeInterrupted,
  isPauseReason,
  traitsOf,
  traitsOfEvent,
  typesWith,
} from './catalog/find-traits.ts'
export { createJoiner } from './envelope/joiner.ts'
export { toApprovalsJson, toAwaitedJson, toRequestFields } from './encode/awaited-json.ts'
export {
  createEnvelopeMapper,
  createEnvelopeWriter,
  type EnvelopeWriter,
  type EnvelopeWriterOptions,
  type EventEncoder,
  type HistoryMode,
} from './encode/envelope-writer.ts'
export type { ImageUrl } from './encode/result-writer.ts'
export { toPromptText, toWireFile } from './encode/meta-json.ts'
