export {
  agentOf,
  childrenOf,
  createTranscript,
  cutTranscript,
  endTranscript,
  finalText,
  foreignError,
  reduceTranscript,
  rootAgent,
  toolInput,
} from '../client/transcript/index.ts'
export type {
  AgentNode,
  Block,
  BlockImage,
  CallBlock,
  CallDecisionStatus,
  CallStatus,
  Citation,
  ErrorBlock,
  PendingTool,
  QueuedPrompt,
  ResultBlock,
  RunMark,
  Sequence,
  StepMark,
  TextBlock,
  ThinkingBlock,
  Transcript,
  TranscriptError,
  TranscriptStatus,
  UserBlock,
} from '../client/transcript/index.ts'
export {
  MAX_SSE_CHUNK_BYTES,
  MIN_SSE_CHUNK_BYTES,
  blockKey,
  chunkPayload,
  createEnvelopeDecoder,
  createJoiner,
  decodeEnvelope,
  encodeEnvelope,
  isPauseReason,
  traitsOf,
  traitsOfEvent,
} from '../events/index.ts'
export type {
  Continuation,
  DeltaContent,
  Envelope,
  EnvelopeBase,
  EnvelopeTraits,
  EnvelopeType,
  Extras,
  FieldKind,
  Joiner,
  Payload,
  RunPhase,
  StepRole,
} from '../events/index.ts'
export { createDecoder, createVerifier } from '../events/index.ts'
export type {
  Decoder,
  DecoderOptions,
  Piece,
  RunEndEvent,
  RunStartEvent,
  StepEndEvent,
  StreamEvent,
  Verifier,
  VerifierOptions,
  Violation,
} from '../events/index.ts'
export { MillraceError, isMillraceError } from '../errors/index.ts'
export type { ErrorCode, ErrorDetails, MillraceErrorOptions } from '../errors/index.ts'
export { isJsonArray, isJsonObject, parseJsonObject } from '../json/index.ts'
export type { JsonObject, JsonValue } from '../json/index.ts'
export {
  createSseDecoder,
  decodeSse,
  DONE_DATA,
  DONE_FRAME,
  encodeSse,
  SSE_HEADERS,
} from '../sse/index.ts'
export type { SseBody, SseDecoder, SseDecoderOptions, SseEvent, SseFrame } from '../sse/index.ts'
export { findHiddenCharacters, showHiddenCharacters, toPlainLine } from '../text/index.ts'
export type { HiddenCharacter, HiddenCharacterOptions, TextPiece } from '../text/index.ts'
