export type { AgentRun } from '../agent/agent-run.ts'
export type { Checkpoint, RunInput, RunOptions, Subagent } from '../agent/agent.ts'
export { answerPause, type PauseAnswer } from '../agent/calls/answer-pause.ts'
export { expireRequests } from '../agent/calls/decide-call.ts'
export { createAgent, type AgentOptions, type CreatedAgent } from '../agent/create-agent.ts'
export { createTitler, type Titler, type TitlerOptions } from '../agent/create-titler.ts'
export { forContext, type ContextKit } from '../agent/for-context.ts'
export type { FileKeeper, ProviderFile } from '../agent/loop/generated-files.ts'
export type {
  Agent,
  AgentCommand,
  AgentStream,
  Offer,
  RecoveryMode,
  RunMessages,
  RunStart,
  AgentRunOptions,
  UnsettledAgent,
  Verdict,
} from '../agent/port/agent.ts'
export type {
  ApprovalDecision,
  FrontendResult,
  GivenAnswer,
  PauseAnswers,
  PendingCall,
  PendingCalls,
} from '../agent/port/answers.ts'
export type {
  AgentCheckpoint,
  BlockStorage,
  RunProgress,
  StatePart,
  StoredPart,
  StoredState,
} from '../agent/port/stored-state.ts'
export { createRunControl, type CommandReceiver, type RunControl } from '../agent/run-control.ts'
export type { RunResult } from '../agent/run-result.ts'
export type { StepPreparation, StepSettings, ToolCallStart } from '../agent/loop/step-hooks.ts'
export type { FinishedStep, StepCall, StepResult, StopCondition } from '../agent/loop/stop-when.ts'
export type {
  AgentTools,
  CutAnswers,
  FinalAnswerCheck,
  Instructions,
  RunPlace,
  StepPlace,
  StepToolChoice,
} from '../agent/run.ts'
export type {
  AgentState,
  CompactedContext,
  Decision,
  OpenTurn,
  Parent,
  Pause,
  RunTotals,
  StoredResult,
} from '../agent/state/agent-state.ts'
export { pendingOf } from '../agent/state/pending-calls.ts'
export { totalsOf } from '../agent/state/run-totals.ts'
export { readState } from '../agent/state/state-reader.ts'
export type { AgentEvent, PromptFile } from '../events/agent-event.ts'
export { toFinalAnswer } from '../events/final-answer.ts'
export type { Prompt } from '../events/message.ts'
export type { Permit, ToolChoice } from '../events/model.ts'
export { parseOutput } from '../json/parse-output.ts'
export type { StandardSchema } from '../json/standard-schema.ts'
export {
  type ApprovalRule,
  defineFrontendTool,
  defineTool,
  type FrontendToolDefinition,
  type ToolDefinition,
} from '../tools/define-tool.ts'
export type {
  BackendTool,
  FrontendTool,
  RichOutput,
  Tool,
  ApprovalContext,
  ToolContext,
  ToolDocument,
  ToolImage,
  ToolOutput,
} from '../tools/tool.ts'
