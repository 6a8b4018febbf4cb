export { defineFrontendTool, defineTool } from '../tools/index.ts'
export type {
  BackendTool,
  FrontendTool,
  FrontendToolDefinition,
  RichOutput,
  StandardSchema,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolImage,
  ToolOutput,
} from '../tools/index.ts'
export type { AgentState, OpenTurn, Pause } from './agent-state.ts'
export type { Agent, Checkpoint, FrontendResult, RunInput } from './agent.ts'
export { answerPause } from './answer-pause.ts'
export type { PauseAnswer } from './answer-pause.ts'
export { createAgent } from './create-agent.ts'
export type { AgentOptions } from './create-agent.ts'
