export type { AgUiEvent } from '../protocols/ag-ui/ag-ui-event.ts'
export {
  agUiFormat,
  type AgUiFormatOptions,
  type AgUiWaiting,
} from '../protocols/ag-ui/ag-ui-format.ts'
export { agUiReader, type AgUiReaderOptions } from '../protocols/ag-ui/reading/ag-ui-reader.ts'
export { ANSWERED_OUTPUT } from '../protocols/ai-sdk/ui-message.ts'
export { aiSdkReader, type AiSdkReaderOptions } from '../protocols/ai-sdk/ui-reader.ts'
export { aiSdkFormat, type AiSdkOptions } from '../protocols/ai-sdk/ui-writer.ts'
export type {
  EventFormat,
  EventWriter,
  FormatFrame,
  FormatReader,
  FrameFormat,
  FrameWriter,
  LogFormat,
  StreamEnd,
} from '../protocols/port/log-format.ts'
export { openFormat, type FormatWriter } from '../protocols/port/open-format.ts'
export { rawFormat, type RawFormatOptions } from '../protocols/raw/raw-writer.ts'
export { recognizeFormats } from '../protocols/recognize-formats.ts'
export {
  segmentsFormat,
  type SegmentsFormatOptions,
} from '../protocols/segments/segments-writer.ts'
export {
  segmentsReader,
  type SegmentsReaderOptions,
} from '../protocols/segments/segments-reader.ts'
export { xmlFormat, type XmlFormatOptions } from '../protocols/xml/xml-format.ts'
