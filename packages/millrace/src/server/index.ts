export type { ReportError } from './handler-options.ts'
export { setClientAddress } from './requests/guard.ts'
export {
  type BodyChunk,
  sourceOf,
  type ChunkReader,
  type ChunkSource,
} from './reading/chunk-source.ts'
export type { EndedRun, ServerObserver, StartedRun } from './server-observer.ts'
