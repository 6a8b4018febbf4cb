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

/** A schema of values that a model writes: as JSON Schema for the model, and as a validator. */
export interface InputContract<Output> {
  readonly jsonSchema: JsonObject
  readonly check: (value: unknown) => Promise<Checked<Output>>
}

/** The words of a contract in errors: its subject, the remedy for a schema without JSON Schema, and the name of its values. */
export interface ContractWords {
  readonly subject: string
  readonly remedy: string
  readonly values: string
}

/** Returns the words for the input of a tool. */
export function wordsOfInput(tool: string): ContractWords {
  const subject = `input of tool "${tool}"`
  return { subject, remedy: 'pass `inputSchema`', values: 'arguments' }
}

/** Creates a contract from a Standard Schema. `given` replaces the JSON Schema of the library. */
export function fromStandardSchema<Output>(
  words: ContractWords,
  schema: StandardSchema<Output>,
  given?: JsonObject,
): InputContract<Output> {
  return {
    jsonSchema: toObjectSchema(words, given ?? convertToJsonSchema(words, schema)),
    async check(value) {
      const result = await schema['~standard'].validate(value)
      return result.issues === undefined ? { value: result.value } : toProblem(words, result.issues)
    },
  }
}

/** Creates a contract from a JSON Schema. */
export function fromJsonSchema(
  words: ContractWords,
  schema: JsonObject,
): InputContract<JsonObject> {
  const jsonSchema = toObjectSchema(words, schema)
  return {
    jsonSchema,
    async check(value) {
      const issues = checkJsonSchema(jsonSchema, value)
      if (isJsonObject(value) && issues.length === 0) return { value }
      return toProblem(words, issues)
    },
  }
}

function convertToJsonSchema(
  { subject, remedy }: ContractWords,
  schema: StandardSchema,
): JsonObject {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined) {
    throw badRequest(
      `The ${subject} is a ${vendor} schema that cannot be converted to JSON Schema; ${remedy}.`,
    )
  }
  try {
    const written: unknown = JSON.parse(
      JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })),
    )
    return isJsonObject(written) ? written : {}
  } catch (cause) {
    throw badRequest(
      `The ${subject} has a part that JSON Schema cannot express; use plain types there, or ${remedy}.`,
      { cause },
    )
  }
}

/** Removes `$schema` and checks the top-level type. Model APIs accept only objects. */
function toObjectSchema(
  { subject, values }: ContractWords,
  { $schema: _dialect, ...schema }: JsonObject,
): JsonObject {
  if (schema['type'] === 'object') return schema
  throw badRequest(
    `The ${subject} must be an object with named ${values} (JSON Schema \`"type": "object"\`).`,
  )
}

function toProblem(
  { values }: ContractWords,
  issues: readonly SchemaIssue[],
): { readonly problem: string } {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => `- ${pathOf(issue)}${issue.message}`)
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`)
  return { problem: [`The ${values} are not valid:`, ...lines].join('\n') }
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
