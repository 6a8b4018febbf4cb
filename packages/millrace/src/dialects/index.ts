export { toAwaitedJson } from './awaited-json.ts'
export { createEnvelopeWriter } from './envelope-writer.ts'
export type { EnvelopeWriter, EnvelopeWriterOptions } from './envelope-writer.ts'
export type { ImageUrl } from './result-writer.ts'
