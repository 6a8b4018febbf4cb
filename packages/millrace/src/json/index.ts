export { hashInput } from './hash-input.ts'
export {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  parseJsonOr,
  toText,
} from './json-value.ts'
export { parseOutput, readOutputJson } from './parse-output.ts'
export { isJsonPrefix, createPartialJson, type PartialJson } from './partial-json.ts'
export {
  isStandardSchema,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
} from './standard-schema.ts'
