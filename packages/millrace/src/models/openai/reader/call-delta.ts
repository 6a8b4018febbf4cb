import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/** A delta of one call in one chunk. */
export interface CallDelta {
  /** The index of the call in the message. Some servers omit it, some send 0 for all calls. */
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** The next part of the arguments as JSON text. */
  readonly text: string
  /** Other fields of the call, such as `extra_content`, which must be sent back. */
  readonly extra: JsonObject | undefined
}

const knownFields: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function'])

/** Reads an entry of `tool_calls`. Returns undefined for an invalid entry. */
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

/** Converts arguments to JSON text. Some servers send them as a complete object. */
function toJsonText(values: JsonValue | undefined): string {
  if (typeof values === 'string') return values
  return isJsonObject(values) ? JSON.stringify(values) : ''
}
