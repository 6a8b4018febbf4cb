export { cursorTrimmed } from './cursor-trimmed.ts'
export { leaseLost, sessionUnknown, storeClosed, tailDiffers } from './fence-errors.ts'
export { createWaiters } from './waiters.ts'
export type { Waiters } from './waiters.ts'
export { createMemoryStore } from './memory-store.ts'
export type { MemoryStoreOptions } from './memory-sessions.ts'
export type {
  Append,
  Conversation,
  HeldLease,
  Lease,
  LogEntry,
  SessionInfo,
  SessionPage,
  SessionRecord,
  SessionRow,
  Store,
  StoredFile,
} from './store.ts'
