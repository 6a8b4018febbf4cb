import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'

const name = fc.oneof(
  fc.constantFrom('city', 'path', 'content', 'startDate', 'item', 'name', 'query'),
  fc.stringMatching(/^[a-z][a-zA-Z_]{0,7}$/),
)
const words = fc.string({ maxLength: 12 })
const limits = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 50 }))

const text: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ type: 'string' }),
  fc
    .array(words, { minLength: 1, maxLength: 3 })
    .map((values) => ({ type: 'string', enum: values })),
  words.map((value) => ({ type: 'string', default: value })),
  words.map((value) => ({ const: value })),
  fc.constantFrom('date', 'email', 'uri', 'odd').map((format) => ({ type: 'string', format })),
  fc.nat({ max: 30 }).map((minLength) => ({ type: ['null', 'string'], minLength })),
)

const number: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom('integer', 'number'), limits, fc.boolean(), fc.boolean())
  .map(([type, [minimum, room], hasLow, hasHigh]) => ({
    type,
    ...(hasLow && { minimum }),
    ...(hasHigh && { maximum: minimum + room }),
  }))

const { part, object } = fc.letrec<{ part: JsonObject; object: JsonObject }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    number,
    fc.constant({ type: 'boolean', description: 'Whether to.' }),
    fc.constant({}),
    fc.constant({ $ref: '#/$defs/shared' }),
    tie('part').map((items) => ({ type: 'array', items })),
    fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie('object'),
    tie('object').map((inner) => ({ allOf: [inner, { type: 'object' }] })),
  ),
  object: fc.dictionary(name, fc.tuple(tie('part'), fc.boolean()), { maxKeys: 4 }).map(toObject),
}))

function toObject(members: Readonly<Record<string, [JsonObject, boolean]>>): JsonObject {
  const entries = Object.entries(members)
  const required = entries.flatMap(([key, [, isRequired]]): JsonValue[] =>
    isRequired ? [key] : [],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, [schema]]) => [key, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** Schemas of a tool's arguments, with every feature that the prompt describes. */
export const anySchema: fc.Arbitrary<JsonObject> = fc
  .tuple(object, part)
  .map(([schema, shared]) => ({
    ...schema,
    $defs: { shared: shared['$ref'] === undefined ? shared : {} },
  }))
