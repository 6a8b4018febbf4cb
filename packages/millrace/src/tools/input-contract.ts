import { badRequest } from '../errors/index.ts'
import {
  isJsonObject,
  type JsonObject,
  type SchemaIssue,
  type StandardSchema,
} from '../json/index.ts'
import { checkJsonSchema } from './check-json-schema.ts'

/** Maximum number of reported issues. A long list may have one for each item. */
const MAX_ISSUES = 20

/** Validated arguments, or a problem described for the model. */
export type Checked<Output> = { readonly value: Output } | { readonly problem: string }

/** The input schema of a tool: as JSON Schema for the model, and as a validator. */
export interface InputContract<Output> {
  readonly jsonSchema: JsonObject
  readonly check: (value: unknown) => Promise<Checked<Output>>
}

/** Creates a contract from a Standard Schema. `given` replaces the JSON Schema of the library. */
export function fromStandardSchema<Output>(
  name: string,
  schema: StandardSchema<Output>,
  given?: JsonObject,
): InputContract<Output> {
  return {
    jsonSchema: toToolSchema(name, given ?? convertToJsonSchema(name, schema)),
    async check(value) {
      const result = await schema['~standard'].validate(value)
      return result.issues === undefined ? { value: result.value } : toProblem(result.issues)
    },
  }
}

/** Creates the contract of a tool from the JSON schema of its input. */
export function fromJsonSchema(name: string, schema: JsonObject): InputContract<JsonObject> {
  const jsonSchema = toToolSchema(name, schema)
  return {
    jsonSchema,
    async check(value) {
      const issues = checkJsonSchema(jsonSchema, value)
      if (isJsonObject(value) && issues.length === 0) return { value }
      return toProblem(issues)
    },
  }
}

function convertToJsonSchema(name: string, schema: StandardSchema): JsonObject {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined) {
    throw badRequest(
      `The input of tool "${name}" is a ${vendor} schema that cannot be converted to JSON Schema; pass \`inputSchema\`.`,
    )
  }
  try {
    const written: unknown = JSON.parse(
      JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })),
    )
    return isJsonObject(written) ? written : {}
  } catch (cause) {
    throw badRequest(
      `The input of tool "${name}" has a part that JSON Schema cannot express; use plain types there, or pass \`inputSchema\`.`,
      { cause },
    )
  }
}

/** Removes `$schema` and checks the top-level type. Model APIs accept only objects. */
function toToolSchema(name: string, { $schema: _dialect, ...schema }: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema
  throw badRequest(
    `The input of tool "${name}" must be an object with named arguments (JSON Schema \`"type": "object"\`).`,
  )
}

function toProblem(issues: readonly SchemaIssue[]): { readonly problem: string } {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => `- ${pathOf(issue)}${issue.message}`)
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`)
  return { problem: ['The arguments are not valid:', ...lines].join('\n') }
}

function pathOf({ path = [] }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? '' : `${keys.join('.')}: `
}

/** Parses the arguments that a model wrote. The problem of invalid JSON quotes the text. */
export function parseInput(inputText: string): Checked<unknown> {
  if (inputText.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(inputText) }
  } catch {
    return { problem: JSON.stringify({ INVALID_JSON: inputText }) }
  }
}
