export {
  answerPause,
  createAgent,
  createRunControl,
  createTitler,
  expireRequests,
} from '../agent/index.ts'
export type {
  AgentOptions,
  AgentRun,
  Checkpoint,
  CreatedAgent,
  CutAnswers,
  CommandReceiver,
  FileKeeper,
  FinalAnswerCheck,
  PauseAnswer,
  ProviderFile,
  RunControl,
  RunInput,
  RunOptions,
  RunResult,
  Subagent,
  Titler,
  TitlerOptions,
} from '../agent/index.ts'
export { pendingOf, readState, totalsOf } from '../agent/state/index.ts'
export type {
  AgentState,
  Decision,
  StoredResult,
  OpenTurn,
  Parent,
  Pause,
  RunTotals,
  CompactedContext,
} from '../agent/state/index.ts'
export { toFinalAnswer } from '../events/index.ts'
export type { AgentEvent, Permit, Prompt, PromptFile } from '../events/index.ts'
export type { StandardSchema } from '../json/index.ts'
export { defineFrontendTool, defineTool } from '../tools/index.ts'
export type {
  ApprovalRule,
  BackendTool,
  FrontendTool,
  FrontendToolDefinition,
  RichOutput,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolDocument,
  ToolImage,
  ToolOutput,
} from '../tools/index.ts'
export type {
  Agent,
  AgentCheckpoint,
  AgentCommand,
  AgentStream,
  ApprovalDecision,
  BlockStorage,
  FrontendResult,
  GivenAnswer,
  Offer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
  RecoveryMode,
  RunMessages,
  RunProgress,
  RunStart,
  RunTies,
  StatePart,
  StoredPart,
  StoredState,
  UnsettledAgent,
  Verdict,
} from '../agent/port/index.ts'
