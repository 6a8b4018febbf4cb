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
  rawDialect,
  openDialect,
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
  EventDialect,
  EventWriter,
  FrameDialect,
  FrameWriter,
} from '../protocols/port/index.ts'
