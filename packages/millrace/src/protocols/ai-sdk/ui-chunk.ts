import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { DialectFrame } from '../port/index.ts'

/** One chunk of a UI message stream. */
export interface UiChunk extends JsonObject {
  readonly type: string
}

/** What stands in a chunk; a field that is undefined is left out. */
export interface UiFields {
  readonly [field: string]: JsonValue | undefined
}

/** The name under which chunks carry what the AI SDK has no field for. */
export const OWN = 'millrace'

/** Encodes a chunk. */
export function toUiFrame(type: string, fields: UiFields = {}): DialectFrame {
  return { data: JSON.stringify({ type, ...fields }) }
}

/** What a chunk carries under {@link OWN}; undefined if there is nothing. */
export function toOwn(fields: UiFields): { readonly providerMetadata?: JsonObject } {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Only defined values are left.
  const own = Object.fromEntries(told) as JsonObject
  return told.length === 0 ? {} : { providerMetadata: { [OWN]: own } }
}
