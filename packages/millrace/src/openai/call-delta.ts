import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** What one chunk says of one call. */
export interface CallDelta {
  /** Which call of the message it belongs to; some servers leave it out, some say 0 for all. */
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** More of the arguments as JSON text. */
  readonly text: string
  /** What else the call carries, such as `extra_content`, and must carry when it goes back. */
  readonly extra: JsonObject | undefined
}

const knownFields: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function'])

/** Reads an entry of `tool_calls`; undefined if it is none. */
export function readCallDelta(entry: JsonValue): CallDelta | undefined {
  if (!isJsonObject(entry)) return undefined
  const { index, id, function: given } = entry
  const { name, arguments: values } = isJsonObject(given) ? given : {}
  const extra = Object.entries(entry).filter(
    ([field, value]) => !knownFields.has(field) && value !== null,
  )
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    text: toJsonText(values),
    extra: extra.length === 0 ? undefined : Object.fromEntries(extra),
  }
}

/** Some servers send the arguments as an object, whole. */
function toJsonText(values: JsonValue | undefined): string {
  if (typeof values === 'string') return values
  return isJsonObject(values) ? JSON.stringify(values) : ''
}
