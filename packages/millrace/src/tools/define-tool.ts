import type { JsonObject } from '../json/index.ts'
import { type ApprovalRule, createApprovalCheck } from './approval-rule.ts'
import { fromJsonSchema, fromStandardSchema, type InputContract } from './input-contract.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'
import { checkToolName } from './tool-name.ts'
import type { BackendTool, ToolContext } from './tool.ts'

/** A tool that outlives this is stopped unless it asks for more; long work belongs behind a job id. */
const DEFAULT_TIMEOUT_MS = 300_000

/** What defines a tool of the server. */
export interface ToolDefinition<Input, Schema> {
  readonly name: string
  /** What the tool does and when to use it, for the model. */
  readonly description: string
  /** Any Standard Schema (zod, valibot, arktype …), or a JSON Schema. */
  readonly input: Schema
  /** JSON Schema of `input`, needed only if its library cannot write one. */
  readonly inputSchema?: JsonObject
  /** Answers a call with a {@link ToolOutput}; what it throws becomes an error that the model reads. */
  readonly run: (input: Input, context: ToolContext) => unknown
  /** `Infinity` for no limit. */
  readonly timeoutMs?: number
  /** Whether the call may be made again when a crash has left its outcome unknown. */
  readonly idempotent?: boolean
  readonly needsApproval?: ApprovalRule<Input>
}

/** Defines a tool that runs on the server. */
export function defineTool<Output>(
  definition: ToolDefinition<Output, StandardSchema<Output>>,
): BackendTool
export function defineTool(definition: ToolDefinition<JsonObject, JsonObject>): BackendTool
export function defineTool(
  definition: ToolDefinition<unknown, StandardSchema> | ToolDefinition<JsonObject, JsonObject>,
): BackendTool {
  checkToolName(definition.name)
  return usesStandardSchema(definition)
    ? toTool(
        definition,
        fromStandardSchema(definition.name, definition.input, definition.inputSchema),
      )
    : toTool(definition, fromJsonSchema(definition.name, definition.input))
}

function usesStandardSchema(
  definition: ToolDefinition<unknown, StandardSchema> | ToolDefinition<JsonObject, JsonObject>,
): definition is ToolDefinition<unknown, StandardSchema> {
  return isStandardSchema(definition.input)
}

function toTool<Input>(
  definition: ToolDefinition<Input, unknown>,
  contract: InputContract<Input>,
): BackendTool {
  const { name, description, run, timeoutMs = DEFAULT_TIMEOUT_MS, idempotent = false } = definition
  const { needsApproval = false } = definition
  return {
    kind: 'backend',
    schema: { name, description, inputSchema: contract.jsonSchema },
    timeoutMs,
    idempotent,
    needsApproval: createApprovalCheck(needsApproval, contract.check),
    async call(value, context) {
      const checked = await contract.check(value)
      return 'problem' in checked ? checked : { value: await run(checked.value, context) }
    },
  }
}
