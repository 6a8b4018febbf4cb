import type { Extras } from '../envelope/index.ts'
import type { JsonObject } from '../json/index.ts'
import { isOpaqueField } from './visible-json.ts'

/** Fields of a citation that have a meaning of their own on every message. */
const taken = new Set(['type', 'agent', 'final', 'delta', 'id', 'more', 'span'])

/** A citation as the wire carries it. [MAP-3] */
export interface WireCitation {
  readonly citedText: string
  readonly extras: Extras
}

/** Writes a citation of any type, also of one that we do not know: nothing is lost but nulls and opaque fields. */
export function toWireCitation(citation: JsonObject): WireCitation {
  const { cited_text: citedText, ...fields } = citation
  const kept = Object.entries(fields).filter(
    ([field, value]) => value !== null && !isOpaqueField(field),
  )
  return {
    citedText: typeof citedText === 'string' ? citedText : '',
    extras: {
      citation_type: 'unknown',
      ...Object.fromEntries(
        kept.map(([field, value]) => [taken.has(field) ? `citation_${field}` : field, value]),
      ),
    },
  }
}
