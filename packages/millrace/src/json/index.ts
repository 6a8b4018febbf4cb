export { isJsonArray, isJsonObject } from './json-value.ts'
export type { JsonObject, JsonValue } from './json-value.ts'
export { createPartialJson } from './partial-json.ts'
export type { PartialJson, PartialJsonOptions, PartialJsonStatus } from './partial-json.ts'
