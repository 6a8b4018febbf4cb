export { toAwaitedJson } from './awaited-json.ts'
export { createEnvelopeMapper, createEnvelopeWriter } from './envelope-writer.ts'
export type { EnvelopeWriter, EnvelopeWriterOptions, EventWriter } from './envelope-writer.ts'
export type { ImageUrl } from './result-writer.ts'
