export { claimCall } from './claim-call.ts'
export type { CallClaim } from './claim-call.ts'
export type { Connection, ConnectionState } from './connection-state.ts'
export { answerCall, decideCalls, steerRun, stopRun } from './control-run.ts'
export type { CallDecision } from './control-run.ts'
export { createSession } from './create-session.ts'
export type { FrontendCall, FrontendTool, ToolReply } from './frontend-tool.ts'
export type { InputSchema } from './input-schema.ts'
export type { Answer, Answers, OutgoingPrompt } from './outbox.ts'
export { queuePrompt, withdrawPrompt } from './queue-prompt.ts'
export type { PromptOptions, StoredPrompt } from './queue-prompt.ts'
export { deleteSession, renameSession } from './manage-session.ts'
export type { SessionPlace } from './manage-session.ts'
export { readDecisions } from './read-decisions.ts'
export type { DecisionEntry, DecisionPage } from './read-decisions.ts'
export { readHistory } from './read-history.ts'
export type { Conversation, HistoryPage } from './read-history.ts'
export { serveTool } from './serve-tool.ts'
export { createSessionId } from './session-id.ts'
export type {
  FetchFunction,
  Frame,
  HeaderFields,
  Session,
  SessionOptions,
  SessionSnapshot,
} from './session.ts'
export { createSharedSession } from './share/create-shared-session.ts'
export type { SharedSessionOptions } from './share/create-shared-session.ts'
export type { TabChannel, TabLocks, TabMessage } from './share/tab-channel.ts'
export { translateResponse } from './translate-response.ts'
export type { ForeignReader } from './translate-response.ts'
