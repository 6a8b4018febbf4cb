export { agUiFormat, agUiReader } from '../../protocols/ag-ui/index.ts'
export type {
  AgUiFormatOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from '../../protocols/ag-ui/index.ts'
