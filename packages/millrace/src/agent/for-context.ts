import type { JsonObject, StandardSchema } from '../json/index.ts'
import {
  type BackendTool,
  defineFrontendTool,
  defineTool,
  type FrontendTool,
  type FrontendToolDefinition,
  type ToolDefinition,
} from '../tools/index.ts'
import { type AgentOptions, createAgent, type CreatedAgent } from './create-agent.ts'

/** Functions that define tools and agents for one type of context. */
export interface ContextKit<Context> {
  readonly defineTool: {
    <Output>(definition: ToolDefinition<Output, StandardSchema<Output>, Context>): BackendTool
    (definition: ToolDefinition<JsonObject, JsonObject, Context>): BackendTool
  }
  readonly defineFrontendTool: (definition: FrontendToolDefinition<Context>) => FrontendTool
  readonly createAgent: (options: AgentOptions<Context>) => CreatedAgent
}

/** Returns `defineTool`, `defineFrontendTool` and `createAgent` with the type of the context that `createHandler({ context })` returns. */
export function forContext<Context>(): ContextKit<Context> {
  return { defineTool, defineFrontendTool, createAgent } as ContextKit<Context>
}
