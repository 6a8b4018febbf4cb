export { nothingPending, notOfAgent, splitAnswers } from './answers.ts'
export type {
  ApprovalDecision,
  FrontendResult,
  GivenAnswer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
} from './answers.ts'
