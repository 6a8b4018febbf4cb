export {
  agUiFormat,
  readAgUiOptions,
  type AgUiFormatOptions,
  type AgUiWaiting,
} from './ag-ui-format.ts'
export type { AgUiEvent } from './ag-ui-run.ts'
export { agUiReader } from './reading/ag-ui-reader.ts'
