export { hashInput } from './hash-input.ts'
export { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts'
export { isJsonPrefix } from './is-json-prefix.ts'
export { parseJsonObject, parseJsonOr } from './parse-json.ts'
export { createPartialJson, type PartialJson } from './partial-json.ts'
export {
  isStandardSchema,
  type SchemaIssue,
  type SchemaResult,
  type StandardSchema,
} from './standard-schema.ts'
export { toText } from './to-text.ts'
