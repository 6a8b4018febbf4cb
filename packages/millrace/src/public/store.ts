export { createMemoryStore } from '../stores/memory/memory-store.ts'
export type { MemoryStoreOptions } from '../stores/memory/sessions.ts'
export {
  checkFork,
  compareFork,
  isShared,
  joinParts,
  type ForkSource,
} from '../stores/port/branches.ts'
export { cursorTrimmed } from '../stores/port/cursor-trimmed.ts'
export {
  inboxDiffers,
  leaseLost,
  logReplaced,
  sessionUnknown,
  storeClosed,
  tailDiffers,
} from '../stores/port/fence-errors.ts'
export {
  MAX_ANCESTORS,
  MAX_HEAD_BYTES,
  MAX_OWNER_CHARS,
  MAX_PENDING,
  OWN_COLLECTION,
  checkHead,
  checkKey,
  checkOwner,
  inboxFull,
} from '../stores/port/limits.ts'
export { REMEMBERED_MS, compareLog, createLogId } from '../stores/port/log-id.ts'
export type {
  Append,
  Appended,
  Branch,
  BranchPort,
  Claim,
  Command,
  CommandChange,
  FilePort,
  Fork,
  ForkPoint,
  HeldLease,
  InboxPort,
  KeyedPage,
  Lease,
  LeasePort,
  LogEntry,
  LogPort,
  NewCommand,
  Part,
  PartChange,
  PartPort,
  PartRange,
  SeenSession,
  SessionInfo,
  SessionPage,
  SessionPort,
  SessionRange,
  SessionRow,
  Store,
  StoredFile,
  Submission,
  UnattendedSession,
  WakePort,
} from '../stores/port/store.ts'
export { createWaiters, type Waiters } from '../stores/port/waiters.ts'
