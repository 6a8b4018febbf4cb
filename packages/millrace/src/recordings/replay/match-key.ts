import { isJsonArray, isJsonObject, type JsonValue, parseJsonObject } from '../../json/index.ts'
import type { RecordedRequest } from '../recording.ts'
import { dropPrompts } from '../redaction/drop-prompts.ts'

/** The fields of a request that say what is asked of whom. */
const promptFields = ['model', 'stream', 'system', 'messages', 'prompt', 'instructions', 'input']

/** Moves through a conversation without changing what is asked. */
const passingField = 'cache_control'

/**
 * What two requests for the same answer have in common: method, path, model and prompt. Nothing where the body was
 * not kept.
 */
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

/** The same request with its texts replaced by their lengths, as one that was recorded without prompts. */
export function withoutPrompts(request: RecordedRequest): RecordedRequest {
  const { body } = request
  if (body === undefined || !('bytes' in body)) return { ...request, hasPrompts: false }
  const dropped = dropPrompts(new TextDecoder().decode(body.bytes))
  const bytes = dropped === undefined ? body.bytes : new TextEncoder().encode(dropped)
  return { ...request, body: { bytes }, hasPrompts: false }
}

/** The method and the path without its query, which tells the versions of a client apart. */
export function routeOf({ method, path }: Pick<RecordedRequest, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path.split('?')[0]}`
}

/** Tells whether a request asks for a stream. */
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
