import type { JsonObject } from 'millrace'
import { difference, differences, isSameJson } from '../differences.ts'
import type { ReadMessage } from './read-messages.ts'
import type { RecordingCheck } from './recording-check.ts'
import { sdkFaultOf } from './describe-recordings.ts'

/** Checks that our message is that of the official SDK, where the SDK is correct. */
export const checkGolden: RecordingCheck = {
  name: 'same message as the official SDK',
  run({ name, golden, messages }) {
    if (golden?.ok !== true || sdkFaultOf(name) !== undefined) return { cases: 0, faults: [] }
    const found = messages.map(toApiMessage)
    const pairs = golden.messages.map((message, index) => [withoutNulls(message), found[index]])
    const faults = pairs.flatMap(([expected, ours], index) => {
      if (isSameJson(expected, ours)) return []
      const place = `message ${index + 1}`
      const [first = difference(place, expected, ours)] = differences(expected, ours, place)
      return [first]
    })
    const [wanted, came] = [golden.messages.length, found.length]
    const isMore = came > wanted ? [difference('messages', wanted, came)] : []
    return { cases: pairs.length, faults: [...faults, ...isMore] }
  },
}

/** Converts a message to the form of the API without streaming. */
function toApiMessage({ events, end }: ReadMessage): JsonObject {
  const start = events.find((event) => event.type === 'message_start')
  return withoutNulls({
    id: start?.messageId ?? null,
    type: 'message',
    role: 'assistant',
    model: start?.model ?? null,
    ...end.details,
    content: end.content,
    stop_reason: end.stopReason,
    usage: end.usage as JsonObject,
  })
}

/** A null field is equal to an absent one. */
function withoutNulls(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null))
}
