export { agUiDialect, agUiReader } from '../protocols/ag-ui/index.ts'
export type {
  AgUiDialectOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from '../protocols/ag-ui/index.ts'
export { ANSWERED_OUTPUT, aiSdkDialect, aiSdkReader } from '../protocols/ai-sdk/index.ts'
export type { AiSdkOptions, AiSdkReaderOptions } from '../protocols/ai-sdk/index.ts'
export {
  dialects,
  rawDialect,
  recognizeFormats,
  segmentsDialect,
  segmentsReader,
  xmlDialect,
} from '../protocols/index.ts'
export type {
  RawDialectOptions,
  SegmentsDialectOptions,
  SegmentsReaderOptions,
  XmlDialectOptions,
} from '../protocols/index.ts'
export type {
  Dialect,
  DialectFrame,
  DialectReader,
  DialectWriter,
  StreamEnd,
} from '../telling/index.ts'
