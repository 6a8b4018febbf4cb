export { defineFrontendTool, defineTool } from '../tools/index.ts'
export type {
  ApprovalRule,
  BackendTool,
  FrontendTool,
  FrontendToolDefinition,
  RichOutput,
  StandardSchema,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolDocument,
  ToolImage,
  ToolOutput,
} from '../tools/index.ts'
export type {
  AgentState,
  Decision,
  KeptResult,
  OpenTurn,
  Parent,
  Pause,
  RunTotals,
  ShortContext,
} from './agent-state.ts'
export type {
  Agent,
  ApprovalDecision,
  Checkpoint,
  FrontendResult,
  PauseAnswers,
  RunInput,
  RunOptions,
} from './agent.ts'
export type { AgentRun } from './agent-run.ts'
export { answerSoFar } from './answer-so-far.ts'
export { answerPause, notOfAgent, ownerOfCall, splitAnswers } from './answer-pause.ts'
export type { PauseAnswer } from './answer-pause.ts'
export { withVoidCalls } from './call-ids.ts'
export type { CallIds } from './call-ids.ts'
export { expireRequests } from './decide-call.ts'
export { createAgent } from './create-agent.ts'
export type { AgentOptions, CreatedAgent } from './create-agent.ts'
export { createTitler } from './create-titler.ts'
export type { Titler, TitlerOptions } from './create-titler.ts'
export { toFinalAnswer } from '../events/index.ts'
export type { Permit } from '../events/index.ts'
export { madeFileIds } from './made-files.ts'
export type { FileKeeper, ProviderFile } from './made-files.ts'
export { isBetweenSteps } from './open-calls.ts'
export { answersIn, pendingOf, waitingAgents } from './pending-calls.ts'
export type { GivenAnswer, PendingCall, PendingCalls } from './pending-calls.ts'
export { unreportedAnswers } from './report-answers.ts'
export type { UnreportedAnswer } from './report-answers.ts'
export { createRunControl } from './run-control.ts'
export type { Desk, RunControl } from './run-control.ts'
export type { RunResult } from './run-result.ts'
export { totalsOf } from './run-totals.ts'
export type { CutAnswers, FinalAnswerCheck } from './run.ts'
