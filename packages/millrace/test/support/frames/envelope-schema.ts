import { readFileSync } from 'node:fs'
import { catalog, type EnvelopeTraits, type FieldKind } from '../../../src/events/index.ts'

const protocolFile = new URL('../../../../../spec/PROTOCOL.md', import.meta.url)

/** The rows of PROTOCOL.md's first table for each type: type, emission, `delta`, extra fields, meaning. */
export const protocolRows: ReadonlyMap<string, readonly string[]> = new Map(
  readFileSync(protocolFile, 'utf8')
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
    .filter((cells) => cells.length === 5)
    .map((cells) => [cells[0]!.replaceAll('`', ''), cells]),
)

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
    allOf: Object.entries(catalog).map(([type, traits]) => branchOf(type, traits)),
  }
}

function branchOf(type: string, traits: EnvelopeTraits): object {
  const fields = { ...traits.required, ...traits.optional }
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, kinds[kind]]),
  )
  return {
    if: { properties: { type: { const: type } } },
    then: {
      description: protocolRows.get(type)?.[4],
      'x-emission': traits.emission ?? 'buffered',
      'x-delta': traits.delta,
      'x-unit': traits.isItem === true ? 'item' : 'block',
      'x-origin': traits.origin ?? 'extension',
      'x-required': Object.keys(traits.required ?? {}),
      properties: traits.delta === 'empty' ? { ...properties, delta: { const: '' } } : properties,
    },
  }
}
