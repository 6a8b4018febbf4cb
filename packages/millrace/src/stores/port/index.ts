export { checkFork, compareFork, isShared, joinParts } from './branches.ts'
export type { ForkSource } from './branches.ts'
export { cursorTrimmed } from './cursor-trimmed.ts'
export {
  inboxDiffers,
  leaseLost,
  logReplaced,
  sessionUnknown,
  storeClosed,
  tailDiffers,
} from './fence-errors.ts'
export {
  checkHead,
  checkKey,
  checkOwner,
  inboxFull,
  MAX_ANCESTORS,
  MAX_HEAD_BYTES,
  MAX_OWNER_CHARS,
  MAX_PENDING,
  OWN_COLLECTION,
} from './limits.ts'
export { toKeyedPage } from './keyed-page.ts'
export { compareLog, createLogId, REMEMBERED_MS } from './log-id.ts'
export { unlessLate } from './unless-late.ts'
export { createWaiters } from './waiters.ts'
export type { Waiters } from './waiters.ts'
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
} from './store.ts'
