export { createMemoryStore } from '../stores/memory/index.ts'
export type { MemoryStoreOptions } from '../stores/memory/index.ts'
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
} from '../stores/port/index.ts'
export type { AllowFileId, OutboundOptions, UrlRules } from '../outbound/index.ts'
export { exportSession } from './archive/export-session.ts'
export { importSession } from './archive/import-session.ts'
export type { ImportedSession, ImportOptions } from './archive/import-session.ts'
export { createHandler } from './handler.ts'
export type { Activity, Handler } from './handler.ts'
export type {
  Action,
  Authorize,
  ErrorContext,
  HandlerLimits,
  HandlerOptions,
  ReportError,
} from './handler-options.ts'
export type { Keep } from './retention/keep.ts'
export { setClientAddress } from './requests/guard.ts'
export type { FileSource } from './files/provider-files.ts'
export type { BodyChunk } from './reading/chunk-source.ts'
export { sourceOf } from './reading/chunk-source.ts'
export type { ChunkReader, ChunkSource } from './reading/chunk-source.ts'
export type {
  AppendedLines,
  ClosedReader,
  EndedRun,
  RemovedSessions,
  ServerObserver,
  StartedRun,
  TrimmedLog,
} from './server-observer.ts'
export { joinViews, withoutThinking, withoutToolInternals } from './views/view.ts'
export type { ChooseView, HidableType, View } from './views/view.ts'
export type { RunEvent, RunEventType } from '../webhooks/index.ts'
export type { WebhookOptions } from './webhooks/webhook-options.ts'
