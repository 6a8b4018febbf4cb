import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { propertiesOf, requiredOf, resolveSchema, typesOf, variantsOf } from './resolve-schema.ts'

/** Maximum depth of described properties; of deeper ones only the type is given. */
const MAX_DEPTH = 5

const typeWords: Readonly<Record<string, string>> = {
  array: 'list',
  boolean: 'true or false',
  integer: 'whole number',
  null: 'null',
  number: 'number',
  object: 'object',
  string: 'string',
}

/** Keywords that a line mentions, with their wording. */
const notes: readonly (readonly [keyword: string, words: string])[] = [
  ['default', 'default'],
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'a multiple of'],
  ['minLength', 'shortest length'],
  ['maxLength', 'longest length'],
  ['minItems', 'fewest items'],
  ['maxItems', 'most items'],
  ['format', 'format'],
  ['pattern', 'pattern'],
]

/** Describes the properties of an object's schema, a line for each, those of inner objects indented. */
export function describeParameters(schema: JsonObject): readonly string[] {
  const place = { root: schema, depth: 1, around: [] }
  return describeProperties(resolveSchema(schema, schema), place)
}

interface Place {
  readonly root: JsonObject
  readonly depth: number
  /** The properties of the enclosing objects: a recursive object is not described again. */
  readonly around: readonly JsonObject[]
}

function describeProperties(schema: JsonObject, place: Place): string[] {
  const required = new Set(requiredOf(schema))
  const properties = propertiesOf(schema)
  if (place.around.includes(properties)) return []
  const inner = { ...place, around: [...place.around, properties] }
  return Object.entries(properties).flatMap(([name, property]) => {
    const part = resolveSchema(property, place.root)
    const facts = [
      typeOf(part, place),
      required.has(name) ? 'required' : 'optional',
      ...notesOf(part),
    ]
    return describe(`${name} (${facts.join(', ')})`, part, inner)
  })
}

/** Returns a line for a part, and those of its inner parts. */
function describe(title: string, part: JsonObject, place: Place): string[] {
  const { description } = part
  const words =
    typeof description === 'string' && description.trim() !== '' ? description.trim() : ''
  const line = `- ${title}${words === '' ? '' : `: ${words}`}`
  return [line.replaceAll('\n', '\n  '), ...describeInside(part, place).map(indent)]
}

function describeInside(part: JsonObject, place: Place): string[] {
  const { root, depth } = place
  if (depth >= MAX_DEPTH) return []
  const inner = { ...place, depth: depth + 1 }
  const own = describeProperties(part, inner)
  const { items, additionalProperties: others } = part
  if (isJsonObject(items)) own.push(...describeInside(resolveSchema(items, root), inner))
  if (isJsonObject(others))
    own.push(`- any other name: ${typeOf(resolveSchema(others, root), inner)}`)
  const variants = variantsOf(part).map((variant) => resolveSchema(variant, root))
  const described = variants.filter((variant) => Object.keys(propertiesOf(variant)).length > 0)
  return [...own, ...described.flatMap((variant) => describe('if an object', variant, inner))]
}

function typeOf(part: JsonObject, place: Place): string {
  const { const: constant, enum: values } = part
  if (constant !== undefined) return `always ${JSON.stringify(constant)}`
  if (isJsonArray(values))
    return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  if (place.depth > MAX_DEPTH) return 'any value'
  const inner = { ...place, depth: place.depth + 1 }
  const variants = variantsOf(part).map((variant) =>
    typeOf(resolveSchema(variant, place.root), inner),
  )
  const types = typesOf(part).map((type) => nameOf(type, part, inner))
  const names = [...new Set(types.length > 0 ? types : variants)]
  return names.length > 0 ? names.join(' or ') : 'any value'
}

function nameOf(type: string, { items }: JsonObject, place: Place): string {
  const word = typeWords[type] ?? type
  if (type !== 'array' || !isJsonObject(items)) return word
  const inside = typeOf(resolveSchema(items, place.root), place)
  return inside === 'any value' ? word : `${word} of ${inside}`
}

function notesOf(part: JsonObject): string[] {
  return notes.flatMap(([keyword, words]) => {
    const value = part[keyword]
    return value === undefined ? [] : [`${words} ${toWords(value)}`]
  })
}

function toWords(value: JsonValue): string {
  return JSON.stringify(value)
}

function indent(line: string): string {
  return `  ${line.replaceAll('\n', '\n  ')}`
}
