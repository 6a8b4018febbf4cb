export {
  answerPause,
  createAgent,
  createRunControl,
  createTitler,
  expireRequests,
} from '../agent/index.ts'
export type {
  Agent,
  AgentOptions,
  AgentRun,
  ApprovalDecision,
  Checkpoint,
  CreatedAgent,
  CutAnswers,
  Desk,
  FileKeeper,
  FinalAnswerCheck,
  FrontendResult,
  PauseAnswer,
  PauseAnswers,
  ProviderFile,
  RunControl,
  RunInput,
  RunOptions,
  RunResult,
  Titler,
  TitlerOptions,
} from '../agent/index.ts'
export { pendingOf, readState, totalsOf } from '../agent/state/index.ts'
export type {
  AgentState,
  Decision,
  KeptResult,
  OpenTurn,
  Parent,
  Pause,
  PendingCall,
  PendingCalls,
  RunTotals,
  ShortContext,
} from '../agent/state/index.ts'
export { toFinalAnswer } from '../events/index.ts'
export type { AgentEvent, Permit, Prompt, PromptFile } from '../events/index.ts'
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
