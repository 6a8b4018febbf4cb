import type { Extras } from './envelope/envelope.ts'
import type { JsonObject } from '../json/index.ts'
import { isOpaqueField } from './visible-json.ts'

/** Field names that have another meaning on every frame. */
const taken = new Set(['type', 'agent', 'final', 'delta', 'id', 'more', 'span'])

/** A passage that supports a text block, with the wire fields besides the cited text. [MAP-3] */
export interface Citation {
  readonly citedText: string
  readonly fields: Extras
}

/** Converts a provider's citation of any type, even an unknown one; only nulls and opaque fields are dropped. */
export function toCitation(citation: JsonObject): Citation {
  const { cited_text: citedText, ...fields } = citation
  const kept = Object.entries(fields).filter(
    ([field, value]) => value !== null && !isOpaqueField(field),
  )
  return {
    citedText: typeof citedText === 'string' ? citedText : '',
    fields: {
      citation_type: 'unknown',
      ...Object.fromEntries(
        kept.map(([field, value]) => [taken.has(field) ? `citation_${field}` : field, value]),
      ),
    },
  }
}
