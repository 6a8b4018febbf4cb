export type { AgUiEvent } from '../../protocols/ag-ui/ag-ui-run.ts'
export {
  agUiFormat,
  type AgUiFormatOptions,
  type AgUiWaiting,
} from '../../protocols/ag-ui/ag-ui-format.ts'
export { agUiReader, type AgUiReaderOptions } from '../../protocols/ag-ui/reading/ag-ui-reader.ts'
