export { toApprovalsJson, toAwaitedJson, toRequestFields } from './awaited-json.ts'
export { createEnvelopeMapper, createEnvelopeWriter } from './envelope-writer.ts'
export type {
  EnvelopeWriter,
  EnvelopeWriterOptions,
  EventEncoder,
  HistoryMode,
} from './envelope-writer.ts'
export type { ImageUrl } from './result-writer.ts'
export { toPromptText, toWireFile } from './meta-json.ts'
