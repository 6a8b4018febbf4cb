export { checkFork, compareFork, isShared, joinParts } from './branches.ts'
export {
  cursorTrimmed,
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
  MAX_PENDING,
  OWN_COLLECTION,
} from './limits.ts'
export { toKeyedPage } from './keyed-page.ts'
export { compareLog, createLogId, REMEMBERED_MS } from './log-id.ts'
export { withTimeLimit } from './with-time-limit.ts'
export { createWaiters, type Waiters } from './waiters.ts'
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
  LogEntry,
  LogPort,
  NewCommand,
  Part,
  PartChange,
  PartRange,
  SeenSession,
  SessionInfo,
  SessionPage,
  SessionRange,
  SessionRow,
  Store,
  StoredFile,
  Submission,
  UnattendedSession,
  WakePort,
} from './store.ts'
