import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { FlowOutput } from './flow-output.ts'

/** A message of a request, with its content as blocks. */
export interface SentMessage {
  readonly role: string
  readonly content: readonly JsonObject[]
}

/** Returns the messages of a request, or of a stored conversation. */
export function toMessages(value: JsonValue | undefined): SentMessage[] {
  return objectsOf(value).map(({ role, content }) => ({
    role: String(role),
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content),
  }))
}

/** Returns the tool results in requests to models, the latest of each call. */
export function sentResults(requests: FlowOutput['requests']): ReadonlyMap<string, JsonObject> {
  const blocks = requests
    .flatMap(({ body }) => toMessages(body['messages']))
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool_result')
  return new Map(blocks.map((block) => [String(block['tool_use_id']), block]))
}

/** Returns the text of a result. */
export function resultText({ content }: JsonObject): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map(({ text = '' }) => String(text))
    .join('\n')
}

/** Returns the objects in a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
