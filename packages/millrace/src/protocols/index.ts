export { agUiDialect, agUiReader } from './ag-ui/index.ts'
export type {
  AgUiDialectOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from './ag-ui/index.ts'
export { aiSdkDialect, aiSdkReader } from './ai-sdk/index.ts'
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
export { jsonDialect } from './json/index.ts'
export type { JsonDialectOptions } from './json/index.ts'
export { rawDialect } from './raw/index.ts'
export type { RawDialectOptions } from './raw/index.ts'
export { recognizeFormats } from './recognize-formats.ts'
export { segmentsDialect } from './segments/index.ts'
export type { SegmentsDialectOptions } from './segments/index.ts'
export { segmentsReader } from './segments/index.ts'
export type { SegmentsReaderOptions } from './segments/index.ts'
export { xmlDialect } from './xml/index.ts'
export type { XmlDialectOptions } from './xml/index.ts'
