export type {
  AgentEvent,
  AwaitedCall,
  FilesReady,
  MadeFile,
  OfAgent,
  ResultContent,
  ResultImage,
  RunEnd,
  RunError,
  RunStart,
  StepEnd,
  StepRollback,
  ToolResult,
  ToolsAwaited,
} from './agent-event.ts'
export { noUsage } from './message.ts'
export type { ContentBlock, Message, Prompt, Usage } from './message.ts'
export type { Model, ModelRequest, ToolSchema } from './model.ts'
export type {
  BlockCitation,
  BlockDelta,
  BlockEnd,
  BlockKind,
  BlockStart,
  MessageEnd,
  MessageOutcome,
  MessageStart,
  ModelEvent,
  ModelFailure,
  ModelNotice,
} from './model-event.ts'
