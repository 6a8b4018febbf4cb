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
export { pendingOf, totalsOf } from './state/index.ts'
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
export type {
  Agent,
  AgentAbilities,
  AgentCheckpoint,
  AgentStream,
  ApprovalDecision,
  BlockStorage,
  Command,
  FrontendResult,
  GivenAnswer,
  Offer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
  RunMessages,
  RunProgress,
  RunStart,
  RunTies,
  StatePart,
  StoredPart,
  StoredState,
  UnsettledAgent,
  Verdict,
} from './port/index.ts'
export type { Checkpoint, RunInput, RunOptions, Subagent } from './agent.ts'
export type { AgentRun } from './agent-run.ts'
export { answerPause } from './calls/answer-pause.ts'
export type { PauseAnswer } from './calls/answer-pause.ts'
export type { CallIds } from './calls/call-ids.ts'
export { expireRequests } from './calls/decide-call.ts'
export { createAgent } from './create-agent.ts'
export type { AgentOptions, CreatedAgent } from './create-agent.ts'
export { createTitler } from './create-titler.ts'
export type { Titler, TitlerOptions } from './create-titler.ts'
export { toFinalAnswer } from '../events/index.ts'
export type { Permit } from '../events/index.ts'
export type { FileKeeper, ProviderFile } from './loop/generated-files.ts'
export { createRunControl } from './run-control.ts'
export type { CommandReceiver, RunControl } from './run-control.ts'
export type { RunResult } from './run-result.ts'
export type { CutAnswers, FinalAnswerCheck } from './run.ts'
