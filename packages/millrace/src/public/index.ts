export { agentOf, childrenOf, rootAgent } from '../client/transcript/agents.ts'
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
export { createTranscript } from '../client/transcript/create-transcript.ts'
export { cutTranscript, foreignError } from '../client/transcript/cut-transcript.ts'
export { endTranscript } from '../client/transcript/end-transcript.ts'
export { finalText } from '../client/transcript/final-text.ts'
export { reduceTranscript } from '../client/transcript/reduce-transcript.ts'
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
export type { ErrorCode } from '../errors/codes.ts'
export {
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
export { decodeEnvelope } from '../events/envelope/decode.ts'
export { encodeEnvelope } from '../events/envelope/encode.ts'
export { createEnvelopeDecoder } from '../events/envelope/envelope-decoder.ts'
export {
  blockKey,
  type Continuation,
  type Envelope,
  type EnvelopeBase,
  type Extras,
} from '../events/envelope/envelope.ts'
export { createJoiner, type Joiner } from '../events/envelope/joiner.ts'
export {
  createVerifier,
  type Verifier,
  type VerifierOptions,
  type Violation,
} from '../events/verify/verify.ts'
export { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'
export { parseJsonObject } from '../json/parse-json.ts'
export { decodeSse, type SseBody } from '../sse/decode-sse.ts'
export { encodeSse, type SseFrame } from '../sse/encode-sse.ts'
export type { SseDecoder } from '../sse/event-decoder.ts'
export { createSseDecoder, type SseDecoderOptions } from '../sse/sse-decoder.ts'
export type { SseEvent } from '../sse/sse-event.ts'
export { DONE_DATA, DONE_FRAME } from '../sse/sse-frames.ts'
export { SSE_HEADERS } from '../sse/sse-headers.ts'
export {
  findHiddenCharacters,
  showHiddenCharacters,
  type HiddenCharacter,
  type HiddenCharacterOptions,
  type TextPiece,
} from '../text/hidden-characters.ts'
export { toPlainLine } from '../text/plain-line.ts'
