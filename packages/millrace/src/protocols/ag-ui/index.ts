export {
  agUiFormat,
  readAgUiOptions,
  type AgUiFormatOptions,
  type AgUiWaiting,
} from './ag-ui-format.ts'
export type { AgUiEvent } from './ag-ui-event.ts'
export { expandChunk, type OpenChunks } from './reading/ag-ui-reader.ts'
export { fromTokenUsage } from './token-usage.ts'
