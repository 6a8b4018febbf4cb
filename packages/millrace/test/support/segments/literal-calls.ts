import fc from 'fast-check'
import { isJsonArray, isJsonObject } from '../../../src/json/index.ts'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'

/** A call with arguments of every type. */
export interface SampleCall {
  readonly name: string
  readonly values: JsonObject
}

const name = fc.stringMatching(/^[a-z_][a-z0-9_.]{0,8}$/)
const special = fc.constantFrom(
  "'",
  '"',
  '\\',
  '\n',
  ',',
  ')',
  ']',
  '}',
  'a=',
  "',",
  '😀',
  '<',
  '<|"|',
  '`',
  '\t',
  '\0',
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(special, { maxLength: 8 }).map((parts) => parts.join('')),
)
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** Calls of tools that are not projected. */
export const sampleCall: fc.Arbitrary<SampleCall> = fc.record({
  name: name.map((word) => `call_${word}`),
  values: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
})

/** Formats a value like Python, in either quote. */
function writePython(given: JsonValue, quote: '"' | "'" = "'"): string {
  if (typeof given === 'string') return writePythonString(given, quote)
  if (given === null) return 'None'
  if (typeof given === 'boolean') return given ? 'True' : 'False'
  if (isJsonArray(given)) return `[${given.map((item) => writePython(item, quote)).join(', ')}]`
  if (!isJsonObject(given)) return String(given)
  const pairs = Object.entries(given)
  return `{${pairs.map(([key, item]) => `${writePython(key)}: ${writePython(item)}`).join(', ')}}`
}

function writePythonString(given: string, quote: string): string {
  const inside = given
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\0', '\\x00')
  return quote + inside + quote
}

/** Formats a call like Python. */
export function writePythonCall({ name: tool, values }: SampleCall, quote: '"' | "'"): string {
  const fields = Object.entries(values).map(([key, item]) => `${key}=${writePython(item, quote)}`)
  return `${tool}(${fields.join(', ')})`
}

/** Formats a value like Gemma. */
export function writeGemma(given: JsonValue, quote: string): string {
  if (typeof given === 'string') return quote + given + quote
  if (isJsonArray(given)) return `[${given.map((item) => writeGemma(item, quote)).join(',')}]`
  if (!isJsonObject(given)) return String(given)
  const pairs = Object.entries(given)
  return `{${pairs.map(([key, item]) => `${key}:${writeGemma(item, quote)}`).join(',')}}`
}
