export { cursorTrimmed } from './cursor-trimmed.ts'
export {
  inboxDiffers,
  leaseLost,
  logReplaced,
  sessionUnknown,
  storeClosed,
  tailDiffers,
} from './fence-errors.ts'
export { checkHead, checkKey, inboxFull, MAX_HEAD_BYTES, MAX_PENDING } from './limits.ts'
export { compareLog, createLogId, REMEMBERED_MS } from './log-id.ts'
export { createWaiters } from './waiters.ts'
export type { Waiters } from './waiters.ts'
export { createMemoryStore } from './memory-store.ts'
export type { MemoryStoreOptions } from './memory-sessions.ts'
export type {
  Append,
  Appended,
  Claim,
  Command,
  CommandChange,
  FilePort,
  HeldLease,
  InboxPort,
  Lease,
  LeasePort,
  LogEntry,
  LogPort,
  NewCommand,
  Part,
  PartChange,
  PartPort,
  PartRange,
  SessionInfo,
  SessionPage,
  SessionPort,
  SessionRow,
  Store,
  StoredFile,
  Submission,
  WakePort,
} from './store.ts'
