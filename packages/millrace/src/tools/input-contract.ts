import { MillraceError } from '../errors/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'
import { checkJsonSchema } from './check-json-schema.ts'
import type { SchemaIssue, StandardSchema } from './standard-schema.ts'

/** So many faults are told: a long list may have one for each of its items. */
const MAX_ISSUES = 20

/** Arguments that passed, or what is wrong with them in words that a model can use. */
export type Checked<Output> = { readonly value: Output } | { readonly problem: string }

/** What a tool asks of its arguments: for the model as JSON Schema, for us as a check. */
export interface InputContract<Output> {
  readonly jsonSchema: JsonObject
  readonly check: (value: unknown) => Promise<Checked<Output>>
}

/** Reads the contract from a schema of a library; `given` stands in where the library has no JSON Schema. */
export function fromStandardSchema<Output>(
  name: string,
  schema: StandardSchema<Output>,
  given?: JsonObject,
): InputContract<Output> {
  return {
    jsonSchema: toToolSchema(name, given ?? writtenDown(name, schema)),
    async check(value) {
      const result = await schema['~standard'].validate(value)
      return result.issues === undefined ? { value: result.value } : toProblem(result.issues)
    },
  }
}

/** Reads the contract from a plain JSON Schema. */
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

function writtenDown(name: string, schema: StandardSchema): JsonObject {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined) {
    throw new MillraceError(
      'bad_request',
      `The input of tool "${name}" is a ${vendor} schema that cannot be written as JSON Schema; give \`inputSchema\` beside it.`,
    )
  }
  try {
    const written: unknown = JSON.parse(
      JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })),
    )
    return isJsonObject(written) ? written : {}
  } catch (cause) {
    throw new MillraceError(
      'bad_request',
      `The input of tool "${name}" has a part that JSON Schema cannot say; use plain types there, or give \`inputSchema\` beside it.`,
      { cause },
    )
  }
}

/** Model APIs take an object at the top only, and have no use for the dialect's name. */
function toToolSchema(name: string, { $schema: _dialect, ...schema }: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema
  throw new MillraceError(
    'bad_request',
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
