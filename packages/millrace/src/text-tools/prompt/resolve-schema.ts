import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** References that lead to references are followed so far. */
const MAX_HOPS = 8

/** A part of a schema with its references and `allOf` put in their place; what says nothing is an empty one. */
export function resolveSchema(schema: JsonValue | undefined, root: JsonObject): JsonObject {
  const { allOf, ...own } = withoutReference(schema, root)
  if (!isJsonArray(allOf)) return own
  // An `allOf` inside one is left alone, so that no circle can be walked.
  const parts = allOf.map((part) => withoutReference(part, root))
  return parts.map(({ allOf: _, ...part }) => part).reduce(merge, own)
}

function withoutReference(schema: JsonValue | undefined, root: JsonObject): JsonObject {
  let found = isJsonObject(schema) ? schema : {}
  for (let hop = 0; typeof found['$ref'] === 'string' && hop < MAX_HOPS; hop++) {
    const { $ref: reference, ...beside } = found
    found = { ...follow(reference, root), ...beside }
  }
  const { $ref: _, ...own } = found
  return own
}

function follow(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith('#')) return {}
  const keys = reference
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map(toKey)
  let found: JsonValue | undefined = root
  for (const key of keys) {
    const inside: JsonValue | undefined = isJsonObject(found) || isJsonArray(found) ? found : {}
    found = Object.hasOwn(inside, key) ? (inside as JsonObject)[key] : undefined
  }
  return isJsonObject(found) ? found : {}
}

function toKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  return {
    ...one,
    ...other,
    properties: { ...propertiesOf(one), ...propertiesOf(other) },
    required: [...requiredOf(one), ...requiredOf(other)],
  }
}

/** The properties of an object's schema. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}

/** The names of the properties that an object must have. */
export function requiredOf({ required }: JsonObject): readonly string[] {
  return isJsonArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** The schemas of which a value has to fit one; none if there is no choice. */
export function variantsOf({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  const list = isJsonArray(anyOf) ? anyOf : oneOf
  return isJsonArray(list) ? list.filter(isJsonObject) : []
}

/** The types that a schema names. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((name) => typeof name === 'string')
}
