export { agUiDialect, agUiReader } from '../../protocols/ag-ui/index.ts'
export type {
  AgUiDialectOptions,
  AgUiEvent,
  AgUiReaderOptions,
  AgUiWaiting,
} from '../../protocols/ag-ui/index.ts'
