export { catalog, traitsOf } from './catalog.ts'
export type { DeltaContent, EnvelopeTraits, EnvelopeType, FieldKind } from './catalog.ts'
export { blockKey } from './envelope.ts'
export type { Continuation, Envelope, EnvelopeBase, Extras } from './envelope.ts'
