export type { AllowFileId, OutboundOptions } from '../outbound/outbound-policy.ts'
export { keepSecrets } from '../outbound/secrets/registered-secrets.ts'
export type { UrlRules } from '../outbound/url-rules.ts'
export { exportSession } from '../server/archive/export-session.ts'
export {
  importSession,
  type ImportOptions,
  type ImportedSession,
} from '../server/archive/import-session.ts'
export type { FileSource } from '../server/files/run-media.ts'
export type {
  Action,
  Access,
  Authorize,
  ChooseTitle,
  ErrorContext,
  HandlerLimits,
  HandlerOptions,
  ReportError,
} from '../server/handler-options.ts'
export { createHandler, type Activity, type Handler } from '../server/handler.ts'
export { createMillrace, type Millrace } from '../server/in-process/create-millrace.ts'
export type { HandleError, HandleResult, RunHandle } from '../server/in-process/run-handle.ts'
export type {
  SessionList,
  SessionState,
  SessionSummary,
  SessionCall,
  SessionPrompt,
} from '../server/in-process/session-values.ts'
export type {
  ApproveOptions,
  CallAnswerOptions,
  CommandOptions,
  ControlOptions,
  DenyOptions,
  EventsOptions,
  ForkOptions,
  ListOptions,
  RunCommandOptions,
  SendOptions,
  Sessions,
  SessionShare,
  ShareOptions,
  StartOptions,
} from '../server/in-process/sessions.ts'
export { setClientAddress } from '../server/requests/guard.ts'
export type { Keep } from '../server/retention/retention.ts'
export type {
  AppendedLines,
  ClosedReader,
  EndedRun,
  RemovedSessions,
  ServerObserver,
  StartedRun,
  TrimmedLog,
} from '../server/server-observer.ts'
export {
  joinViews,
  withoutThinking,
  withoutToolInternals,
  type ChooseView,
  type HidableType,
  type View,
} from '../server/views/view-rules.ts'
export type { WebhookOptions } from '../server/webhooks/webhook-options.ts'
export { createMemoryStore } from '../stores/memory/memory-store.ts'
export type { MemoryStoreOptions } from '../stores/memory/sessions.ts'
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
} from '../stores/port/store.ts'
export type { RunEvent, RunEventType } from '../webhooks/run-event.ts'
