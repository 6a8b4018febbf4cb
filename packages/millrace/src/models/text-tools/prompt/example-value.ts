import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { propertiesOf, requiredOf, resolveSchema, typesOf, variantsOf } from './resolve-schema.ts'

/** Example strings by `format`. */
const byFormat: ReadonlyMap<unknown, string> = new Map([
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T09:30:00Z'],
  ['duration', 'PT15M'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['regex', '[a-z]+'],
  ['time', '09:30:00Z'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
])

/** Example strings by a word of the parameter's name. */
const byWord: ReadonlyMap<string, string> = new Map([
  ['address', '1 Mill Lane'],
  ['body', 'Buy flour.'],
  ['city', 'Oslo'],
  ['cmd', 'ls -l'],
  ['code', 'print(1 + 1)'],
  ['command', 'ls -l'],
  ['comment', 'Looks right.'],
  ['content', 'Buy flour.'],
  ['country', 'Norway'],
  ['currency', 'EUR'],
  ['date', '2026-01-31'],
  ['description', 'What to buy'],
  ['diff', '@@ -1 +1 @@\n-flour\n+bread'],
  ['dir', 'notes'],
  ['directory', 'notes'],
  ['email', 'ada@example.com'],
  ['expression', '2 + 2'],
  ['file', 'notes/todo.txt'],
  ['filename', 'todo.txt'],
  ['folder', 'notes'],
  ['glob', '*.md'],
  ['id', 'A-17'],
  ['key', 'color'],
  ['lang', 'en'],
  ['language', 'en'],
  ['locale', 'en'],
  ['location', 'Oslo'],
  ['message', 'Buy flour.'],
  ['name', 'Ada'],
  ['patch', '@@ -1 +1 @@\n-flour\n+bread'],
  ['path', 'notes/todo.txt'],
  ['pattern', 'flour'],
  ['place', 'Oslo'],
  ['prompt', 'How does a mill work?'],
  ['query', 'how a mill works'],
  ['question', 'How does a mill work?'],
  ['search', 'how a mill works'],
  ['subject', 'Flour'],
  ['symbol', 'AAPL'],
  ['tag', 'kitchen'],
  ['text', 'Buy flour.'],
  ['time', '09:30'],
  ['timezone', 'Europe/Oslo'],
  ['title', 'Groceries'],
  ['topic', 'mills'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['user', 'ada'],
])

/** Maximum depth of an example, for a recursive schema. */
const MAX_DEPTH = 8

/** Maximum number of items in an example, even if the schema requires more. */
const MAX_ITEMS = 8

/** The position of a value: the name of the parameter, and the whole schema, for its references. */
interface Place {
  readonly name: string
  readonly root: JsonObject
  readonly depth: number
  /** The properties of the enclosing objects: a recursive object is left empty. */
  readonly around: readonly JsonObject[]
}

/** Creates example arguments of a tool: the required ones, otherwise the first optional one; always the same. */
export function exampleArguments(schema: JsonObject): JsonObject {
  const value = exampleValue(
    { ...schema, type: 'object' },
    { name: '', root: schema, depth: 0, around: [] },
  )
  return isJsonObject(value) ? value : {}
}

function exampleValue(schema: JsonValue | undefined, place: Place): JsonValue {
  const part = resolveSchema(schema, place.root)
  const given = givenValue(part)
  if (given !== undefined) return given
  const [first, second] = variantsOf(part)
  const [type, otherType] = typesOf(part)
  const chosen = type === 'null' ? (otherType ?? type) : type
  const inner = { ...place, depth: place.depth + 1 }
  if (chosen === undefined && first !== undefined && place.depth < MAX_DEPTH) {
    return exampleValue(typesOf(first)[0] === 'null' ? (second ?? first) : first, inner)
  }
  const kind = chosen ?? (Object.keys(propertiesOf(part)).length > 0 ? 'object' : 'string')
  return Object.hasOwn(makers, kind) ? (makers[kind]?.(part, inner) ?? null) : null
}

/** Returns a value that the schema itself contains. */
function givenValue({ const: constant, default: usual, examples, enum: values }: JsonObject) {
  if (constant !== undefined) return constant
  if (isJsonArray(values)) return values.find((value) => value === usual) ?? values[0]
  return isJsonArray(examples) && examples[0] !== undefined ? examples[0] : usual
}

type Maker = (part: JsonObject, place: Place) => JsonValue

const makers: Readonly<Record<string, Maker>> = {
  array: makeList,
  boolean: () => true,
  integer: (part) => makeNumber(part, 1),
  null: () => null,
  number: (part) => makeNumber(part, 0.5),
  object: makeObject,
  string: makeText,
}

function makeObject(part: JsonObject, place: Place): JsonValue {
  const properties = propertiesOf(part)
  if (place.depth > MAX_DEPTH || place.around.includes(properties)) return {}
  const inner = { ...place, around: [...place.around, properties] }
  const required = requiredOf(part)
  const names = Object.keys(properties).filter((name) => required.includes(name))
  const chosen = required.length > 0 ? names : Object.keys(properties).slice(0, 1)
  const unknown = required.filter((name) => !Object.hasOwn(properties, name))
  return Object.fromEntries(
    [...chosen, ...unknown].map((name) => [
      name,
      exampleValue(Object.hasOwn(properties, name) ? properties[name] : {}, { ...inner, name }),
    ]),
  )
}

function makeList({ items, minItems, maxItems }: JsonObject, place: Place): JsonValue {
  if (maxItems === 0 || place.depth > MAX_DEPTH) return []
  const length = Math.min(Math.max(numberOf(minItems) ?? 1, 1), MAX_ITEMS)
  return Array.from({ length }, () => exampleValue(items, place))
}

function makeText({ format, minLength, maxLength }: JsonObject, { name }: Place): JsonValue {
  const text = exampleText(name, format)
  const shortest = Math.min(numberOf(minLength) ?? 0, 1000)
  const long = text.length < shortest ? text.repeat(Math.ceil(shortest / text.length)) : text
  return long.slice(0, numberOf(maxLength) ?? long.length)
}

/** Returns 3, or the nearest number within the limits. */
function makeNumber(part: JsonObject, step: number): JsonValue {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = part
  const lows = [numberOf(minimum), above(exclusiveMinimum, step)].filter((low) => low !== undefined)
  const highs = [numberOf(maximum), above(exclusiveMaximum, -step)].filter(
    (high) => high !== undefined,
  )
  const value = Math.min(Math.max(3, ...lows), ...highs)
  const whole = step === 1 ? Math.round(value) : value
  const unit = numberOf(multipleOf) ?? 0
  return unit > 0 ? Math.ceil(whole / unit) * unit : whole
}

function above(limit: JsonValue | undefined, step: number): number | undefined {
  const number = numberOf(limit)
  return number === undefined ? undefined : number + step
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Returns a plausible text for a parameter: by its format, otherwise by the last known word of its name. */
function exampleText(name: string, format: unknown): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const word = words.findLast((one) => byWord.has(one)) ?? ''
  return byFormat.get(format) ?? byWord.get(word) ?? 'example'
}
