export { agentOf, childrenOf, rootAgent, finalText } from '../client/transcript/agents.ts'
export type {
  Block,
  BlockImage,
  CallBlock,
  CallDecisionStatus,
  CallStatus,
  ErrorBlock,
  ResultBlock,
  TextBlock,
  ThinkingBlock,
  UserBlock,
} from '../client/transcript/block.ts'
export {
  createTranscript,
  reduceTranscript,
  endTranscript,
  cutTranscript,
  foreignError,
} from '../client/transcript/reduce-transcript.ts'
export type { Sequence } from '../client/transcript/sequence.ts'
export { toolInput } from '../client/transcript/tool-input.ts'
export type {
  AgentNode,
  PendingTool,
  QueuedPrompt,
  RunMark,
  StepMark,
  Transcript,
  TranscriptError,
  TranscriptStatus,
} from '../client/transcript/transcript.ts'
export {
  type ErrorCode,
  MillraceError,
  isMillraceError,
  type ErrorDetails,
  type MillraceErrorOptions,
} from '../errors/millrace-error.ts'
export type { EnvelopeType } from '../events/catalog/catalog.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  FieldKind,
  RunPhase,
  StepRole,
} from '../events/catalog/envelope-traits.ts'
export { isPauseReason, traitsOf, traitsOfEvent } from '../events/catalog/find-traits.ts'
export type { Citation } from '../events/citation.ts'
export { createDecoder, type Decoder, type DecoderOptions } from '../events/decode/decode.ts'
export type {
  Piece,
  RunEndEvent,
  RunStartEvent,
  StepEndEvent,
  StreamEvent,
} from '../events/decode/stream-event.ts'
export {
  MAX_SSE_CHUNK_BYTES,
  MIN_SSE_CHUNK_BYTES,
  chunkPayload,
  type Payload,
} from '../events/envelope/chunk.ts'
export {
  decodeEnvelope,
  encodeEnvelope,
  blockKey,
  type Continuation,
  type Envelope,
  type EnvelopeBase,
  type Extras,
  createEnvelopeDecoder,
} from '../events/envelope/envelope.ts'
export { createJoiner, type Joiner } from '../events/envelope/join.ts'
export {
  createVerifier,
  type Verifier,
  type VerifierOptions,
  type Violation,
} from '../events/verify/verify.ts'
export {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
} from '../json/json-value.ts'
export { decodeSse, type SseBody } from '../sse/decode-sse.ts'
export { encodeSse, type SseFrame, DONE_DATA, DONE_FRAME, SSE_HEADERS } from '../sse/encode-sse.ts'
export {
  type SseDecoder,
  type SseEvent,
  createSseDecoder,
  type SseDecoderOptions,
} from '../sse/event-decoder.ts'
export {
  findHiddenCharacters,
  showHiddenCharacters,
  type HiddenCharacter,
  type HiddenCharacterOptions,
  type TextPiece,
  toPlainLine,
} from '../text/hidden-characters.ts'
