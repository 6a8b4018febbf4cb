export { cursorTrimmed } from './cursor-trimmed.ts'
export { createMemoryStore } from './memory-store.ts'
export type { MemoryStoreOptions } from './memory-sessions.ts'
export type {
  Append,
  LogEntry,
  SessionInfo,
  SessionPage,
  SessionRecord,
  SessionRow,
  Store,
} from './store.ts'
