import { badRequest, checkOptions, type OptionTypes } from '../errors/index.ts'
import { isStandardSchema, type JsonObject, type StandardSchema } from '../json/index.ts'
import {
  type Checked,
  fromJsonSchema,
  fromStandardSchema,
  type InputContract,
  wordsOfInput,
} from './input-contract.ts'
import type { ApprovalContext, BackendTool, FrontendTool, ToolContext } from './tool.ts'

/** Whether a tool call needs approval. A function decides by the validated arguments. */
export type ApprovalRule<Input, Context = unknown> =
  | boolean
  | ((input: Input, call: ApprovalContext<Context>) => boolean | Promise<boolean>)

/** Creates the approval check of a tool. Invalid arguments need no approval; a rule that throws requires it. */
function createApprovalCheck<Input>(
  rule: ApprovalRule<Input>,
  check: (value: unknown) => Promise<Checked<Input>>,
): (value: unknown, call?: ApprovalContext) => Promise<boolean> {
  return async (value, call = { context: undefined }) => {
    if (rule === false) return false
    try {
      const checked = await check(value)
      if ('problem' in checked) return false
      return rule === true || (await rule(checked.value, call))
    } catch {
      return true
    }
  }
}

/** Default timeout of a tool. Run longer work as a background job and return its id. */
const DEFAULT_TIMEOUT_MS = 300_000

/** Definition of a server tool. */
export interface ToolDefinition<Input, Schema, Context = unknown> {
  readonly name: string
  /** Purpose of the tool and when to use it, for the model. */
  readonly description: string
  /** Any Standard Schema (zod, valibot, arktype …), or a JSON Schema. */
  readonly input: Schema
  /** JSON Schema of `input`; required only if the schema library cannot produce one. */
  readonly inputSchema?: JsonObject
  /** Runs a call and returns a {@link ToolOutput}. An exception becomes an error result for the model. */
  readonly run: (input: Input, context: ToolContext<Context>) => unknown
  /** `Infinity` disables the timeout. */
  readonly timeoutMs?: number
  /** Whether the call may be repeated if a crash left its outcome unknown. */
  readonly idempotent?: boolean
  readonly needsApproval?: ApprovalRule<Input, Context>
}

const types: OptionTypes<ToolDefinition<unknown, unknown>> = {
  name: 'string',
  description: 'string',
  input: 'object',
  inputSchema: 'object',
  run: 'function',
  timeoutMs: 'number',
  idempotent: 'boolean',
  needsApproval: 'any',
}

/** Names of other libraries for the same options. */
const foreignNames = {
  execute: 'run',
  handler: 'run',
  func: 'run',
  parameters: 'input',
  schema: 'input',
  requireApproval: 'needsApproval',
  timeout: 'timeoutMs',
}

/** Defines a tool that runs on the server. */
export function defineTool<Output>(
  definition: ToolDefinition<Output, StandardSchema<Output>>,
): BackendTool
export function defineTool(definition: ToolDefinition<JsonObject, JsonObject>): BackendTool
export function defineTool(
  definition: ToolDefinition<unknown, StandardSchema> | ToolDefinition<JsonObject, JsonObject>,
): BackendTool {
  checkDefinition(definition)
  return usesStandardSchema(definition)
    ? toTool(
        definition,
        fromStandardSchema(wordsOfInput(definition.name), definition.input, definition.inputSchema),
      )
    : toTool(definition, fromJsonSchema(wordsOfInput(definition.name), definition.input))
}

/** Throws for a definition with which calls could not run. */
function checkDefinition(definition: ToolDefinition<never, unknown>): void {
  checkOptions('defineTool', definition, types, foreignNames)
  checkToolName(definition.name)
  checkSchema('defineTool', definition.input)
  if (definition.run !== undefined) return
  throw badRequest(`The tool ${definition.name} needs \`run\`, the function that runs its calls.`)
}

function checkSchema(owner: string, input: unknown): void {
  if (input !== undefined) return
  throw badRequest(
    `\`${owner}\` needs \`input\`, a schema of the arguments: a Standard Schema such as z.object({}), or a JSON Schema.`,
  )
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

/** Definition of a browser tool. */
export interface FrontendToolDefinition<Context = unknown> {
  readonly name: string
  readonly description: string
  /** Any Standard Schema, or a JSON Schema. */
  readonly input: StandardSchema | JsonObject
  /** JSON Schema of `input`; required only if the schema library cannot produce one. */
  readonly inputSchema?: JsonObject
  readonly needsApproval?: ApprovalRule<unknown, Context>
}

const frontendTypes: OptionTypes<FrontendToolDefinition> = {
  name: 'string',
  description: 'string',
  input: 'object',
  inputSchema: 'object',
  needsApproval: 'any',
}

/** Defines a tool that the browser runs. The run pauses until the browser answers. */
export function defineFrontendTool(definition: FrontendToolDefinition): FrontendTool {
  checkOptions('defineFrontendTool', definition, frontendTypes, foreignNames)
  checkSchema('defineFrontendTool', definition.input)
  const { name, description, input, inputSchema, needsApproval = false } = definition
  checkToolName(name)
  const { jsonSchema, check } = isStandardSchema(input)
    ? fromStandardSchema(wordsOfInput(name), input, inputSchema)
    : fromJsonSchema(wordsOfInput(name), input)
  return {
    kind: 'frontend',
    schema: { name, description, inputSchema: jsonSchema },
    check,
    needsApproval: createApprovalCheck<unknown>(needsApproval, check),
  }
}

/** Tool names that all model APIs accept. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Throws `bad_request` for a name that a model API would reject. */
function checkToolName(name: string): void {
  if (TOOL_NAME.test(name)) return
  throw badRequest(
    `"${name.slice(0, 80)}" is not a valid tool name; use 1 to 64 letters, digits, "_" or "-".`,
  )
}
