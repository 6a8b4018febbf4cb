import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import type { ToldCall } from './telling.ts'

/** What a whole `delta` of JSON says; a bare array stands for `tools` and `files`, text that is no JSON is a message. */
export function payloadOf(delta: string): JsonObject {
  const value = parse(delta)
  if (isJsonObject(value)) return value
  return isJsonArray(value) ? { tools: value, files: value } : { message: delta }
}

/** The objects in a value that should be a list of them. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

/** The calls that a message names; those of a sub-agent name it. [LIFE-12] */
export function callsIn(delta: string, speaker: string): readonly ToldCall[] {
  return objectsIn(payloadOf(delta)['tools']).map(({ tool_use_id, name, input, agent }) => ({
    toolUseId: String(tool_use_id),
    name: String(name),
    input,
    agent: typeof agent === 'string' ? agent : speaker,
  }))
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
