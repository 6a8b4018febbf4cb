import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { FormatFrame } from '../port/index.ts'

/** A chunk of a UI message stream. */
export interface UiChunk extends JsonObject {
  readonly type: string
}

/** Fields of a chunk. Undefined ones are omitted. */
export interface UiFields {
  readonly [field: string]: JsonValue | undefined
}

/** Key of our own fields in `providerMetadata`. */
export const OWN = 'millrace'

/** Encodes a chunk. */
export function toUiFrame(type: string, fields: UiFields = {}): FormatFrame {
  return { data: JSON.stringify({ type, ...fields }) }
}

/** Returns our own fields as `providerMetadata`; empty if all are undefined. */
export function toOwn(fields: UiFields): { readonly providerMetadata?: JsonObject } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Undefined values were removed.
  const own = Object.fromEntries(present) as JsonObject
  return present.length === 0 ? {} : { providerMetadata: { [OWN]: own } }
}
