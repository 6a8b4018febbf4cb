import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/** Maximum length of a chain of references. */
const MAX_HOPS = 8

/** Resolves the references and `allOf` of a part of a schema; a part without information is an empty object. */
export function resolveSchema(schema: JsonValue | undefined, root: JsonObject): JsonObject {
  const { allOf, ...own } = withoutReference(schema, root)
  if (!isJsonArray(allOf)) return own
  // A nested `allOf` is not resolved, so that no cycle is possible.
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

/** Returns the properties of a schema. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}

/** Returns the names of required properties. */
export function requiredOf({ required }: JsonObject): readonly string[] {
  return isJsonArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** Returns the alternative schemas of a value; none if there is no alternative. */
export function variantsOf({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  const list = isJsonArray(anyOf) ? anyOf : oneOf
  return isJsonArray(list) ? list.filter(isJsonObject) : []
}

/** Returns the types that a schema allows. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((name) => typeof name === 'string')
}
