import { isJsonArray, isJsonObject, type JsonValue, parseJsonObject } from 'millrace'
import type { RecordedRequest } from '../recording.ts'
import { dropPrompts } from '../redaction/drop-prompts.ts'

/** The fields of a request that identify the model and the prompt. */
const promptFields = ['model', 'stream', 'system', 'messages', 'prompt', 'instructions', 'input']

/** A field that moves through a conversation without changing the prompt. */
const passingField = 'cache_control'

/** Returns a key of method, path, model and prompt, equal for requests with the same answer; undefined if the body was not kept. */
export function matchKey({ method, path, body, hasPrompts }: RecordedRequest): string | undefined {
  const route = `${hasPrompts ? 'texts' : 'lengths'} ${routeOf({ method, path })}`
  if (body === undefined) return route
  if (!('bytes' in body)) return undefined
  const text = new TextDecoder().decode(body.bytes)
  const asked = parseJsonObject(text)
  if (asked === undefined) return `${route}\n${text}`
  const fields = promptFields.map((name) => [name, toCanonical(asked[name] ?? null)] as const)
  return `${route}\n${JSON.stringify(Object.fromEntries(fields))}`
}

/** Returns the request with its texts replaced by their lengths, like one that was recorded without prompts. */
export function withoutPrompts(request: RecordedRequest): RecordedRequest {
  const { body } = request
  if (body === undefined || !('bytes' in body)) return { ...request, hasPrompts: false }
  const dropped = dropPrompts(new TextDecoder().decode(body.bytes))
  const bytes = dropped === undefined ? body.bytes : new TextEncoder().encode(dropped)
  return { ...request, body: { bytes }, hasPrompts: false }
}

/** Returns the method and the path without its query, which differs between client versions. */
export function routeOf({ method, path }: Pick<RecordedRequest, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path.split('?')[0]}`
}

/** Checks for a request of a stream. */
export function wantsStream({ body }: RecordedRequest): boolean {
  if (body === undefined || !('bytes' in body)) return false
  return parseJsonObject(new TextDecoder().decode(body.bytes))?.['stream'] === true
}

function toCanonical(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(toCanonical)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).filter((name) => name !== passingField)
  return Object.fromEntries(names.sort().map((name) => [name, toCanonical(value[name] ?? null)]))
}
