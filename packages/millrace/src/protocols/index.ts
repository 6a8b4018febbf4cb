export { agUiFormat, agUiReader } from './ag-ui/index.ts'
export type { AgUiFormatOptions, AgUiEvent, AgUiReaderOptions, AgUiWaiting } from './ag-ui/index.ts'
export { aiSdkFormat, aiSdkReader } from './ai-sdk/index.ts'
export type { AiSdkOptions, AiSdkReaderOptions } from './ai-sdk/index.ts'
export { openFormat } from './port/index.ts'
export type {
  LogFormat,
  FormatFrame,
  FormatReader,
  FormatWriter,
  EventFormat,
  EventWriter,
  FrameFormat,
  FrameWriter,
  StreamEnd,
} from './port/index.ts'
export { jsonFormat } from './json/index.ts'
export type { JsonFormatOptions } from './json/index.ts'
export { rawFormat } from './raw/index.ts'
export type { RawFormatOptions } from './raw/index.ts'
export { recognizeFormats } from './recognize-formats.ts'
export { segmentsFormat } from './segments/index.ts'
export type { SegmentsFormatOptions } from './segments/index.ts'
export { segmentsReader } from './segments/index.ts'
export type { SegmentsReaderOptions } from './segments/index.ts'
export { xmlFormat } from './xml/index.ts'
export type { XmlFormatOptions } from './xml/index.ts'
