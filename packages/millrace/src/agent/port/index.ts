export type {
  Agent,
  AgentStream,
  AgentCommand,
  Offer,
  RecoveryMode,
  RunMessages,
  RunStart,
  RunTies,
  UnsettledAgent,
  Verdict,
} from './agent.ts'
export { nothingPending, notOfAgent, splitAnswers } from './answers.ts'
export type {
  ApprovalDecision,
  FrontendResult,
  GivenAnswer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
} from './answers.ts'
export { wrapOldState } from './stored-state.ts'
export type {
  AgentCheckpoint,
  BlockStorage,
  RunProgress,
  StatePart,
  StoredPart,
  StoredState,
} from './stored-state.ts'
