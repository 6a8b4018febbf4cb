export { claimCall } from './frontend-tools/claim-call.ts'
export type { CallClaim } from './frontend-tools/claim-call.ts'
export type { Connection, ConnectionState } from './transport/http/connection-state.ts'
export { answerCall, decideCalls, steerRun, stopRun } from './commands/control-run.ts'
export type { CallDecision } from './commands/control-run.ts'
export { createSession } from './create-session.ts'
export type { FrontendCall, PageTool, ToolReply } from './frontend-tools/frontend-tool.ts'
export type { InputSchema } from './frontend-tools/input-schema.ts'
export type { Answer, Answers, OutgoingPrompt } from './transport/http/outbox.ts'
export { queuePrompt, withdrawPrompt } from './commands/queue-prompt.ts'
export type { PromptOptions, StoredPrompt } from './commands/queue-prompt.ts'
export { deleteSession, renameSession } from './commands/manage-session.ts'
export type { SessionPlace } from './commands/manage-session.ts'
export { readDecisions } from './commands/read-decisions.ts'
export type { DecisionEntry, DecisionPage } from './commands/read-decisions.ts'
export { readHistory } from './commands/read-history.ts'
export type { Conversation, HistoryPage } from './commands/read-history.ts'
export { serveTool } from './frontend-tools/serve-tool.ts'
export { createSessionId } from './session-id.ts'
export type {
  FetchFunction,
  Frame,
  HeaderFields,
  Session,
  SessionOptions,
  SessionSnapshot,
} from './session.ts'
export { createSharedSession } from './transport/shared/create-shared-session.ts'
export type { SharedSessionOptions } from './transport/shared/create-shared-session.ts'
export type { TabChannel, TabLocks, TabMessage } from './transport/shared/tab-channel.ts'
export { translateResponse } from './transport/http/translate-response.ts'
export type { ForeignReader } from './transport/http/translate-response.ts'
