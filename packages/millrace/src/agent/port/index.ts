export type {
  Agent,
  AgentStream,
  AgentCommand,
  Offer,
  ProducerRequest,
  RecoveryMode,
  RunMessages,
  RunStart,
  AgentRunOptions,
  UnsettledAgent,
  Verdict,
} from './agent.ts'
export {
  nothingPending,
  notOfAgent,
  splitAnswers,
  type ApprovalDecision,
  type FrontendResult,
  type GivenAnswer,
  type PauseAnswers,
  type PendingCall,
  type PendingCalls,
} from './answers.ts'
export {
  wrapOldState,
  type AgentCheckpoint,
  type BlockStorage,
  type RunProgress,
  type StatePart,
  type StoredState,
} from './stored-state.ts'
