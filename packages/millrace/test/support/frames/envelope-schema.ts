import {
  catalog,
  type EnvelopeTraits,
  type EnvelopeType,
  type FieldKind,
} from '../../../src/events/index.ts'
import { typeSummaries } from './type-summaries.ts'

const kinds: Record<FieldKind, object> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
}

/** JSON Schema of one envelope, generated from the catalogue. */
export function envelopeSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Millrace envelope',
    description:
      'One message of the wire. Types and fields that are not named here are allowed: a reader ignores what it does not know [ENV-9]. Fields in `x-required` are on the block once it is whole; a long one may come in pieces [CHUNK-5].',
    type: 'object',
    required: ['type', 'agent', 'final', 'delta'],
    properties: {
      type: { type: 'string' },
      agent: { type: 'string' },
      final: { type: 'boolean' },
      delta: { type: 'string' },
      id: { type: 'string' },
      more: { type: 'object', additionalProperties: { enum: ['text', 'json'] } },
      span: { type: 'integer', minimum: 1 },
    },
    allOf: Object.entries(catalog).map(([type, traits]) => branchOf(type as EnvelopeType, traits)),
  }
}

function branchOf(type: EnvelopeType, traits: EnvelopeTraits): object {
  const fields = { ...traits.required, ...traits.optional }
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, kinds[kind]]),
  )
  return {
    if: { properties: { type: { const: type } } },
    then: {
      description: typeSummaries[type],
      'x-emission': traits.emission ?? 'buffered',
      'x-delta': traits.delta,
      'x-unit': traits.isItem === true ? 'item' : 'block',
      'x-origin': traits.origin ?? 'extension',
      'x-required': Object.keys(traits.required ?? {}),
      properties: traits.delta === 'empty' ? { ...properties, delta: { const: '' } } : properties,
    },
  }
}
