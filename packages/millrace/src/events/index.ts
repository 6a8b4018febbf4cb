export { isCompletion } from './agent-event.ts'
export type {
  AgentEvent,
  ApprovalRequest,
  AwaitingApproval,
  AnnouncedCall,
  Compaction,
  RunFiles,
  GeneratedFile,
  EventBase,
  ResultContent,
  ResultImage,
  TextCitation,
  PromptFile,
  RunEnd,
  RunError,
  RunFailure,
  QueueNotice,
  QueueState,
  RunInit,
  StepEnd,
  Rollback,
  UserMessage,
  ToolResult,
  ToolStage,
  ToolStatus,
  AwaitingFrontendTools,
} from './agent-event.ts'
export { addUsage } from './add-usage.ts'
export { toCitation } from './citation.ts'
export type { Citation } from './citation.ts'
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
export { addToDigest, emptyDigest, toDigestText, toPlainMessages } from './conversation-digest.ts'
export type { ConversationDigest, PlainMessage } from './conversation-digest.ts'
export { addCost, noCost, toWireCost } from './cost.ts'
export type { Cost, WireCost } from './cost.ts'
export { noUsage } from './message.ts'
export type { ContentBlock, Message, Prompt, Usage } from './message.ts'
export { isProviderEnd, retryOfCut } from './message-outcome.ts'
export type { MessageOutcome, MessageRetry, ProviderEnd } from './message-outcome.ts'
export type {
  CacheMark,
  CachePlan,
  Model,
  ModelRequest,
  ModelStreamOptions,
  Permit,
  ToolSchema,
} from './model.ts'
export { isDecision, toDecisionFields } from './decision-fields.ts'
export type { DecisionRecord } from './decision-fields.ts'
export { createFinalAnswer, toFinalAnswer } from './final-answer.ts'
export type { FinalAnswer } from './final-answer.ts'
export { failureIn, failureOf, toErrorEvent, toRunError, toShownFailure } from './run-error.ts'
export type { ShownFailure } from './run-error.ts'
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
export { noTelemetry, silentSpan } from './telemetry.ts'
export type {
  AgentTelemetry,
  ModelCallInfo,
  RunInfo,
  SpanAttributes,
  SpanInfos,
  SpanOutcome,
  StepInfo,
  ToolCallInfo,
  WorkKind,
  WorkSpan,
} from './telemetry.ts'
export { isBilledBeside, iterationsOf } from './usage-iterations.ts'
export { toTokenCounts, toUsageTotals } from './usage-totals.ts'
export type { UsageTotals } from './usage-totals.ts'
export { createCollector, isGrowing } from './decode/collect.ts'
export type {
  CollectedCall,
  CollectedEvent,
  CollectedEventOf,
  CollectedProse,
  CollectedResult,
  Collector,
} from './decode/collect.ts'
export { createDecoder } from './decode/decode.ts'
export type { Decoder, DecoderOptions } from './decode/decode.ts'
export { frameStart } from './decode/frame-start.ts'
export { createStepTracker } from './decode/step-tracker.ts'
export type { BlockOpening } from './decode/step-tracker.ts'
export { firstIdOf } from './decode/stream-event.ts'
export type {
  CallPiece,
  CitationEvent,
  OfType,
  PauseEvent,
  PendingCall,
  Piece,
  RunEndEvent,
  RunStartEvent,
  StatusEvent,
  StepEndEvent,
  StreamEvent,
} from './decode/stream-event.ts'
export { dataOf, addMembers, objectsIn, wireTypeOf } from './decode/whole-event.ts'
export { createVerifier } from './verify/verify.ts'
export type { Verifier, VerifierOptions, Violation } from './verify/verify.ts'
export { catalog, HIDDEN_TYPE } from './catalog/catalog.ts'
export type { EnvelopeType } from './catalog/catalog.ts'
export { chunkPayload, MAX_SSE_CHUNK_BYTES, MIN_SSE_CHUNK_BYTES } from './envelope/chunk.ts'
export type { Payload } from './envelope/chunk.ts'
export { decodeEnvelope } from './envelope/decode.ts'
export { encodeEnvelope } from './envelope/encode.ts'
export { createEnvelopeDecoder } from './envelope/envelope-decoder.ts'
export { blockKey } from './envelope/envelope.ts'
export type { Continuation, Envelope, EnvelopeBase, Extras } from './envelope/envelope.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  FieldKind,
  MemberSource,
  RunPhase,
  StepRole,
} from './catalog/envelope-traits.ts'
export {
  canBeInterrupted,
  isPauseReason,
  traitsOf,
  traitsOfEvent,
  typesWith,
} from './catalog/find-traits.ts'
export { createJoiner } from './envelope/joiner.ts'
export type { Joiner } from './envelope/joiner.ts'
export { toApprovalsJson, toAwaitedJson, toRequestFields } from './encode/awaited-json.ts'
export { createEnvelopeMapper, createEnvelopeWriter } from './encode/envelope-writer.ts'
export type {
  EnvelopeWriter,
  EnvelopeWriterOptions,
  EventEncoder,
  HistoryMode,
} from './encode/envelope-writer.ts'
export type { ImageUrl } from './encode/result-writer.ts'
export { toPromptText, toWireFile } from './encode/meta-json.ts'
