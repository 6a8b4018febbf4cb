export {
  answerCall,
  decideCalls,
  steerRun,
  stopRun,
  type CallDecision,
  queuePrompt,
  withdrawPrompt,
  type PromptOptions,
  type StoredPrompt,
  deleteSession,
  renameSession,
  type SessionPlace,
} from '../client/commands/control-run.ts'
export {
  readDecisions,
  type DecisionEntry,
  type DecisionPage,
  readHistory,
  type Conversation,
  type HistoryPage,
} from '../client/commands/read-history.ts'
export { resolveFile } from '../client/commands/resolve-file.ts'
export { createSession } from '../client/transport/http/http-session.ts'
export { claimCall, type CallClaim } from '../client/frontend-tools/claim-call.ts'
export {
  type FrontendCall,
  type PageTool,
  type ToolReply,
  type InputSchema,
  serveTool,
} from '../client/frontend-tools/serve-tool.ts'
export { createSessionId } from '../client/session-id.ts'
export type {
  FetchFunction,
  Frame,
  HeaderFields,
  Session,
  SessionOptions,
  SessionSnapshot,
  Connection,
  ConnectionState,
} from '../client/session.ts'
export type { Answer, Answers, OutgoingPrompt } from '../client/session.ts'
export {
  translateResponse,
  type ForeignReader,
} from '../client/transport/http/translate-response.ts'
export {
  createSharedSession,
  type SharedSessionOptions,
} from '../client/transport/shared/create-shared-session.ts'
export type { TabChannel, TabLocks, TabMessage } from '../client/transport/shared/tab-channel.ts'
