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
export { answersIn, isBetweenSteps, pendingOf, totalsOf, waitingAgents } from './state/index.ts'
export type {
  AgentState,
  Decision,
  StoredResult,
  OpenTurn,
  Parent,
  Pause,
  RunTotals,
  CompactedContext,
} from './state/index.ts'
export type { GivenAnswer, PendingCall, PendingCalls } from './port/index.ts'
export type { Agent, Checkpoint, RunInput, RunOptions } from './agent.ts'
export type { ApprovalDecision, FrontendResult, PauseAnswers } from './port/index.ts'
export type { AgentRun } from './agent-run.ts'
export { answerPause, ownerOfCall } from './calls/answer-pause.ts'
export type { PauseAnswer } from './calls/answer-pause.ts'
export { withVoidCalls } from './calls/call-ids.ts'
export type { CallIds } from './calls/call-ids.ts'
export { expireRequests } from './calls/decide-call.ts'
export { createAgent } from './create-agent.ts'
export type { AgentOptions, CreatedAgent } from './create-agent.ts'
export { createTitler } from './create-titler.ts'
export type { Titler, TitlerOptions } from './create-titler.ts'
export type { Permit } from '../events/index.ts'
export { generatedFileIds } from './loop/generated-files.ts'
export type { FileKeeper, ProviderFile } from './loop/generated-files.ts'
export { unreportedAnswers } from './calls/report-answers.ts'
export type { UnreportedAnswer } from './calls/report-answers.ts'
export { createRunControl } from './run-control.ts'
export type { CommandReceiver, RunControl } from './run-control.ts'
export { answerSoFar } from './run-result.ts'
export type { RunResult } from './run-result.ts'
export type { CutAnswers, FinalAnswerCheck } from './run.ts'
