export {
  blockKey,
  canBeInterrupted,
  catalog,
  chunkPayload,
  createEnvelopeDecoder,
  createJoiner,
  createVerifier,
  decodeEnvelope,
  encodeEnvelope,
  isPauseReason,
  isStepBoundary,
  joinContinued,
  MAX_SSE_CHUNK_BYTES,
  MIN_SSE_CHUNK_BYTES,
  traitsOf,
} from './envelope/index.ts'
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
  Verifier,
  VerifierOptions,
  Violation,
} from './envelope/index.ts'
export { isMillraceError, MillraceError } from './errors/index.ts'
export type { ErrorCode, ErrorDetails, MillraceErrorOptions } from './errors/index.ts'
export { createSseDecoder, decodeSse, encodeSse } from './sse/index.ts'
export type { SseBody, SseDecoder, SseDecoderOptions, SseEvent, SseFrame } from './sse/index.ts'
export * from './client/transcript/index.ts'
export { findHiddenCharacters, showHiddenCharacters } from './text/index.ts'
export type { HiddenCharacter, HiddenCharacterOptions, TextPiece } from './text/index.ts'
