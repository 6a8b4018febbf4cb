export { agUiFormat, agUiReader } from '../protocols/ag-ui/index.ts'
export type {
  AgUiFormatOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from '../protocols/ag-ui/index.ts'
export { ANSWERED_OUTPUT, aiSdkFormat, aiSdkReader } from '../protocols/ai-sdk/index.ts'
export type { AiSdkOptions, AiSdkReaderOptions } from '../protocols/ai-sdk/index.ts'
export {
  rawFormat,
  openFormat,
  recognizeFormats,
  segmentsFormat,
  segmentsReader,
  xmlFormat,
} from '../protocols/index.ts'
export type {
  RawFormatOptions,
  SegmentsFormatOptions,
  SegmentsReaderOptions,
  XmlFormatOptions,
} from '../protocols/index.ts'
export type {
  LogFormat,
  FormatFrame,
  FormatReader,
  FormatWriter,
  StreamEnd,
  EventFormat,
  EventWriter,
  FrameFormat,
  FrameWriter,
} from '../protocols/port/index.ts'
