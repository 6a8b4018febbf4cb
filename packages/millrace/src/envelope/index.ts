export {
  canBeInterrupted,
  catalog,
  HIDDEN_TYPE,
  isAllowedIn,
  isPauseReason,
  isStepBoundary,
  traitsOf,
  traitsOfEvent,
  typeOfEvent,
  typesWith,
} from './catalog.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  EnvelopeType,
  FieldKind,
  MemberSource,
  RunPhase,
  StepRole,
} from './catalog.ts'
export { chunkPayload, MAX_SSE_CHUNK_BYTES, MIN_SSE_CHUNK_BYTES } from './chunk.ts'
export type { Payload } from './chunk.ts'
export { decodeEnvelope } from './decode.ts'
export { encodeEnvelope } from './encode.ts'
export { createEnvelopeDecoder } from './envelope-decoder.ts'
export { blockKey } from './envelope.ts'
export type { Continuation, Envelope, EnvelopeBase, Extras } from './envelope.ts'
export { joinContinued } from './join.ts'
export { createJoiner } from './joiner.ts'
export type { Joiner } from './joiner.ts'
export { createVerifier } from './verify.ts'
export type { Verifier, VerifierOptions, Violation } from './verify.ts'
