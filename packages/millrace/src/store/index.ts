export { createMemoryStore } from './memory-store.ts'
export type { MemoryStoreOptions } from './memory-store.ts'
export type {
  Append,
  LogEntry,
  SessionInfo,
  SessionPage,
  SessionRecord,
  SessionRow,
  Store,
} from './store.ts'
