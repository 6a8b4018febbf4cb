import { createMessageReader } from 'millrace/anthropic'
import type { ModelEvent } from 'millrace/anthropic'
import {
  type Formatter,
  jsonFormatter,
  type ProviderInput,
  xmlFormatter,
} from 'millrace/formatters'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { Task } from '../implementation.ts'
import { isSameJson } from '../same-json.ts'
import { fedBytes, fedValues } from './fed-pieces.ts'

interface FormatterOptions {
  readonly agent: string
  readonly toolResults: boolean
}

/** Converts the events of a case to JSON envelopes. */
export function formatEnvelopes(task: Task): JsonObject {
  return format(task, jsonFormatter)
}

/** Converts the events of a case to legacy XML. */
export function formatXml(task: Task): JsonObject {
  return format(task, xmlFormatter)
}

function format(task: Task, create: (options: FormatterOptions) => Formatter): JsonObject {
  const { agent, stream_tool_results: results } = task.input
  const read = (inputs: Iterable<ProviderInput>): string[] => {
    const formatter = create({ agent: String(agent), toolResults: results !== false })
    const frames = [...inputs].flatMap((one) => formatter.feed(one))
    return [...frames, ...formatter.finish()].map((frame) => frame.data ?? '')
  }
  if (task.fed?.form === 'bytes') return { data: read(fedBytes(task)) }
  const events = [...fedValues(task)].filter(isEvent)
  const data = read(events)
  // A formatter also accepts the model events of a reader.
  if (!isSameJson(read(toModelEvents(events)), data))
    throw new Error(
      'model events yield other messages than the events from which they were created',
    )
  return { data }
}

function isEvent(value: JsonValue): value is JsonObject & { readonly type: string } {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

function toModelEvents(events: readonly JsonObject[]): ModelEvent[] {
  let reader = createMessageReader()
  return events.flatMap((event) => {
    if (reader.ended && event['type'] === 'message_start') reader = createMessageReader()
    return reader.feed(event)
  })
}
