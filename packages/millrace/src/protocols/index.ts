export { agUiDialect, agUiReader } from './ag-ui/index.ts'
export type {
  AgUiDialectOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from './ag-ui/index.ts'
export { aiSdkDialect, aiSdkReader, ANSWERED_OUTPUT, uiMessagesDialect } from './ai-sdk/index.ts'
export type { AiSdkOptions, AiSdkReaderOptions } from './ai-sdk/index.ts'
export { openDialect } from './port/index.ts'
export type {
  Dialect,
  DialectFrame,
  DialectReader,
  DialectWriter,
  EventDialect,
  EventWriter,
  FrameDialect,
  FrameWriter,
  StreamEnd,
} from './port/index.ts'
export { createAiSdk, dialects, readAgUiOptions } from './dialects.ts'
export type { CreateDialect } from './dialects.ts'
export { jsonDialect } from './json/json-dialect.ts'
export type { JsonDialectOptions } from './json/json-dialect.ts'
export { rawDialect } from './raw/raw-dialect.ts'
export type { RawDialectOptions } from './raw/raw-dialect.ts'
export { recognizeFormats } from './recognize-formats.ts'
export { segmentsDialect } from './segments/segments-dialect.ts'
export type { SegmentsDialectOptions } from './segments/segments-dialect.ts'
export { segmentsReader } from './segments/segments-reader.ts'
export type { SegmentsReaderOptions } from './segments/segments-reader.ts'
export { xmlDialect } from './xml/xml-dialect.ts'
export type { XmlDialectOptions } from './xml/xml-dialect.ts'
