import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'
import type { Notation } from './notations.ts'
import { nastyText } from './texts.ts'

/** A call as written and as invoked. */
export interface SampleCall {
  readonly tool: string
  readonly values: JsonObject
}

/** Names that are properties of every object. */
const inheritedNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

const toolName = fc.constantFrom('ask', 'get_weather', 'a.b', 'x-1', ...inheritedNames)
const key = fc.constantFrom('a', 'b', 'query', 'path', ...inheritedNames)

/** Returns the JSON form of a value: without `-0` and values that JSON cannot express. */
const jsonValue: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)

/** `fromEntries` makes `__proto__` a property like any other. */
function valuesOf(value: fc.Arbitrary<JsonValue>, keys = key): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(keys, value), { maxLength: 3, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries))
}

/** Text that the notation can carry, including its own markers. */
function textValueOf({ marks, ambiguous, trims }: Notation): fc.Arbitrary<string> {
  const mark = marks.length === 0 ? fc.constant('') : fc.constantFrom(...marks)
  const pieces = fc.array(fc.oneof(nastyText, mark), { maxLength: 4 })
  return pieces
    .map((parts) => parts.join(''))
    .filter((value) => {
      if (trims === 'space' && value !== value.trim()) return false
      if (trims === 'line' && value.endsWith('\r')) return false
      return ambiguous?.test(value) !== true
    })
}

function valueOf(notation: Notation): fc.Arbitrary<JsonValue> {
  if (notation.values === 'json') return fc.oneof(textValueOf(notation), jsonValue)
  const text = textValueOf(notation)
  return notation.values === 'text' ? text : fc.oneof(text, fc.integer(), fc.boolean())
}

/** Calls of tools that are shown unchanged. */
export function plainCallOf(notation: Notation): fc.Arbitrary<SampleCall> {
  const { tools, keys } = notation
  return fc.record({
    tool: tools === undefined ? toolName : fc.constantFrom(...tools),
    values: valuesOf(valueOf(notation), keys === undefined ? key : fc.constantFrom(...keys)),
  })
}

const projected = [
  { tool: 'write_file', content: 'content', hasPath: true },
  { tool: 'patch_file', content: 'patch', hasPath: true },
  { tool: 'run_bash', content: 'command', hasPath: false },
] as const

/** Calls of tools that are shown as files and commands. */
export function projectedCallOf(notation: Notation): fc.Arbitrary<SampleCall> {
  const content = textValueOf(notation).filter((value) => value !== '')
  const path = fc.constantFrom('/a', 'b/c d.txt', 'ä😀.md', 'it’s')
  return fc
    .tuple(fc.constantFrom(...projected), path, content)
    .map(([{ tool, content: contentKey, hasPath }, place, value]) => ({
      tool,
      values: { ...(hasPath && { path: place }), [contentKey]: value },
    }))
}

/** Blocks of some notations, with difficult values in them. */
export function blockOf(notations: readonly Notation[]): fc.Arbitrary<string> {
  if (notations.length === 0) return fc.constant('')
  return fc.oneof(
    ...notations.flatMap((notation) =>
      [projectedCallOf(notation), ...(notation.filesOnly ? [] : [plainCallOf(notation)])].map(
        (call) => call.map(({ tool, values }) => notation.write(tool, values)),
      ),
    ),
  )
}
