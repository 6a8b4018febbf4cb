export { catalog, HIDDEN_TYPE } from './catalog.ts'
export type { EnvelopeType } from './catalog.ts'
export { chunkPayload, MAX_SSE_CHUNK_BYTES, MIN_SSE_CHUNK_BYTES } from './chunk.ts'
export type { Payload } from './chunk.ts'
export { decodeEnvelope } from './decode.ts'
export { encodeEnvelope } from './encode.ts'
export { createEnvelopeDecoder } from './envelope-decoder.ts'
export { blockKey } from './envelope.ts'
export type { Continuation, Envelope, EnvelopeBase, Extras } from './envelope.ts'
export type {
  DeltaContent,
  EnvelopeTraits,
  FieldKind,
  MemberSource,
  RunPhase,
  StepRole,
} from './envelope-traits.ts'
export {
  canBeInterrupted,
  isPauseReason,
  traitsOf,
  traitsOfEvent,
  typeOfEvent,
  typesWith,
} from './find-traits.ts'
export { joinContinued } from './join.ts'
export { createJoiner } from './joiner.ts'
export type { Joiner } from './joiner.ts'
