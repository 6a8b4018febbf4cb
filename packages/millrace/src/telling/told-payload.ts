import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../json/index.ts'
import { requestFieldsIn } from './approval-fields.ts'
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
  return objectsIn(payloadOf(delta)['tools']).map((call) => {
    const { tool_use_id, name, input, agent } = call
    const request = requestFieldsIn(call)
    return {
      toolUseId: toText(tool_use_id),
      name: toText(name),
      input,
      agent: typeof agent === 'string' ? agent : speaker,
      ...(Object.keys(request).length > 0 && { request }),
    }
  })
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
