import { checkOptions, type OptionTypes } from '../errors/index.ts'
import { isStandardSchema, type JsonObject, type StandardSchema } from '../json/index.ts'
import { type ApprovalRule, createApprovalCheck } from './approval-rule.ts'
import { checkSchema, foreignNames } from './define-tool.ts'
import { fromJsonSchema, fromStandardSchema } from './input-contract.ts'
import { checkToolName } from './tool-name.ts'
import type { FrontendTool } from './tool.ts'

/** Definition of a browser tool. */
export interface FrontendToolDefinition {
  readonly name: string
  readonly description: string
  /** Any Standard Schema, or a JSON Schema. */
  readonly input: StandardSchema | JsonObject
  /** JSON Schema of `input`; required only if the schema library cannot produce one. */
  readonly inputSchema?: JsonObject
  readonly needsApproval?: ApprovalRule<unknown>
}

/** The types of the options. */
const types: OptionTypes<FrontendToolDefinition> = {
  name: 'string',
  description: 'string',
  input: 'object',
  inputSchema: 'object',
  needsApproval: 'any',
}

/** Defines a tool that the browser runs. The run pauses until the browser answers. */
export function defineFrontendTool(definition: FrontendToolDefinition): FrontendTool {
  checkOptions('defineFrontendTool', definition, types, foreignNames)
  checkSchema('defineFrontendTool', definition.input)
  const { name, description, input, inputSchema, needsApproval = false } = definition
  checkToolName(name)
  const { jsonSchema, check } = isStandardSchema(input)
    ? fromStandardSchema(name, input, inputSchema)
    : fromJsonSchema(name, input)
  return {
    kind: 'frontend',
    schema: { name, description, inputSchema: jsonSchema },
    check,
    needsApproval: createApprovalCheck<unknown>(needsApproval, check),
  }
}
