export { isJsonArray, isJsonObject } from './json-value.ts'
export type { JsonObject, JsonValue } from './json-value.ts'
