import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import type { ParameterType, ParameterTypes } from '../../../segments/index.ts'
import type { ToolNotation } from '../tool-notation.ts'
import { projectionFor } from '../projected-tools.ts'

/** Encodes a value as JSON in which each of the one-character marks is escaped. */
function toEscapedJson(value: JsonValue, marks: RegExp): string {
  return JSON.stringify(value).replace(marks, toEscape)
}

/** Escapes text so that none of it reads as a tag whose `<` the marks find. */
function toEscapedText(text: string, marks: RegExp): string {
  return text.replace(marks, '&lt;')
}

/** Escapes text for double quotes in a tag. */
function toAttribute(text: string): string {
  return text.replace(/[&"<]/g, (character) => references[character] ?? character)
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const tests: Readonly<Record<ParameterType, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  // A larger one is read as text, because it would lose digits.
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isJsonObject(value),
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
}

/** Checks whether a value written as text is read back unchanged: without a type it is read as a string. */
function isReadBack(value: JsonValue, type: ParameterType = 'string'): boolean {
  return tests[type](value)
}

/** A lone surrogate, which no text encoding can carry. */
const LONE_SURROGATE = /\p{Surrogate}/u

const SEED_TAGS =
  /<(?=\/?(?:tool|tool_result|arguments|arg|write_file|patch_file|run_bash|think)\b)/gi

/** The start of content between markers, such as `__START_CONTENT__`. */
const MARKER = /^\s*__START_/i

/** The tags of the streaming parser design. */
const xmlNotation: ToolNotation = {
  writeCall(name, input, types = {}) {
    const tags = writeArguments(name, input, types)
    // Values that tags cannot express exactly are written as JSON, which the same format reads.
    const body =
      tags === undefined
        ? toEscapedJson(input, /</g)
        : `\n<arguments>\n${tags.join('')}</arguments>\n`
    return `<tool name="${toAttribute(name)}">${body}</tool>`
  },
  writeResult: ({ name, text }) =>
    `<tool_result name="${toAttribute(name)}">\n${toEscapedText(text, SEED_TAGS)}\n</tool_result>`,
  rule: 'Text that contains < or & stands between <![CDATA[ and ]]>. Lists and objects are written as JSON.',
}

function writeArguments(
  name: string,
  input: JsonObject,
  types: ParameterTypes,
): string[] | undefined {
  const content = projectionFor(name, types)?.content
  const write = content === undefined ? writeValue : writeEntities
  const texts = Object.entries(input).map(([key, value]) => {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    if (key === '' || !isReadBack(value, type)) return undefined
    const text = key === content ? writeContent(String(value)) : write(value)
    return text === undefined ? undefined : `<arg name="${toAttribute(key)}">${text}</arg>\n`
  })
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/** The reader trims text and decodes entities. */
function writeValue(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return toEscapedJson(value, /[<&]/g)
  if (!isTrimmed(value)) return undefined
  return /[<&]/.test(value) ? toCharacterData(value) : value
}

/** Encodes an argument next to the content of a file or command; a value that looks like a marker must not be read as one. */
function writeEntities(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return toEscapedJson(value, /[<&]/g)
  if (!isTrimmed(value)) return undefined
  if (!MARKER.test(value)) return toAttribute(value)
  return value.includes(']]>') ? undefined : toCharacterData(value)
}

/** The content of a file or command is read verbatim, up to its end; CDATA is one section here. */
function writeContent(text: string): string | undefined {
  if (LONE_SURROGATE.test(text)) return undefined
  if (!/<\/arg|^\s*<!\[CDATA\[/i.test(text) && !MARKER.test(text)) return text
  return text.includes(']]>') ? undefined : toCharacterData(text)
}

function isTrimmed(text: string): boolean {
  return text === text.trim() && !LONE_SURROGATE.test(text)
}

function toCharacterData(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
}

const HERMES_TAGS = /<(?=\/?(?:tool_call|tool_response|function|parameter|invoke|think)\b)/gi

/** JSON between tags, the notation of Hermes, Qwen and most other models. */
export const hermesNotation: ToolNotation = {
  writeCall: (name, input) =>
    `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  writeResult: ({ name, text }) =>
    `<tool_response>\n${toEscapedJson({ name, content: text }, HERMES_TAGS)}\n</tool_response>`,
}

// Two adjacent brackets would be a marker, or the end of a header.
const SENTINEL_MARKS = /\[(?=\[)|\](?=\])/g

/** The markers of the streaming parser design, around the arguments as JSON. */
const sentinelNotation: ToolNotation = {
  writeCall(name, input) {
    const header = toEscapedJson({ type: 'tool_call', tool_name: name }, SENTINEL_MARKS)
    return `[[SEG_START ${header}]]\n${toEscapedJson(input, /\[(?=\[seg_)/gi)}\n[[SEG_END]]`
  },
  writeResult: ({ name, text }) =>
    `[[SEG_RESULT ${toEscapedJson({ tool_name: name, content: text }, SENTINEL_MARKS)}]]`,
  rule: 'Between the two markers stands one JSON object with the arguments.',
}

const TAGS =
  /<(?=\/?(?:\w+:)?(?:result|invoke|parameter|function_calls|tool_call|tool_calls|think)\b)/gi

// In JSON strings quotes are escaped, so that no text in them begins a call.

/** The JSON of the streaming parser design. */
const seedJsonNotation: ToolNotation = {
  writeCall: (name, input) => JSON.stringify({ tool: { function: name, parameters: input } }),
  writeResult: ({ name, text }) => JSON.stringify({ tool_result: { name, content: text } }),
  rule: 'A call is one JSON object and begins on a line of its own.',
}

/** JSON with a name and parameters, on its own line. */
const jsonNotation: ToolNotation = {
  writeCall: (name, input) => JSON.stringify({ name, parameters: input }),
  writeResult: ({ name, text }) => JSON.stringify({ name, content: text }),
  rule: 'A message that calls a tool holds the call and nothing else.',
}

/** Llama 3: the same notation, but later calls count only after a semicolon. */
const llamaNotation: ToolNotation = { ...jsonNotation, separator: '; ' }

const MARKS = /\[(?=\/?(?:TOOL_|ARGS\]|CALL_ID\]|THINK\]))/g
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_.:-]*$/u

/** Mistral's tokens, written as text. */
const mistralNotation: ToolNotation = {
  writeCall: (name, input) =>
    PLAIN_NAME.test(name)
      ? `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(input)}`
      : `[TOOL_CALLS]${JSON.stringify([{ name, arguments: input }])}`,
  writeResult: ({ text }) =>
    `[TOOL_RESULTS]${toEscapedJson({ content: text }, MARKS)}[/TOOL_RESULTS]`,
}

/** Notations by the names of the formats that read them. */
export const notations: ReadonlyMap<string, ToolNotation> = new Map([
  ['tool_call', hermesNotation],
  ['anthropic', invokeNotation('function_calls')],
  ['minimax-m2', invokeNotation('minimax:tool_call')],
  ['mistral', mistralNotation],
  ['llama3', llamaNotation],
  ['json', jsonNotation],
  ['seed-json', seedJsonNotation],
  ['seed-xml', xmlNotation],
  ['seed-sentinel', sentinelNotation],
])

/** A tag for each argument, and one around the calls. */
function invokeNotation(wrapper: string): ToolNotation {
  return {
    writeCall(name, input, types = {}) {
      const parameters = Object.entries(input).map(([key, value]) =>
        writeParameter(key, value, Object.hasOwn(types, key) ? types[key] : undefined),
      )
      return `<${wrapper}>\n<invoke name="${toAttribute(name)}">\n${parameters.join('')}</invoke>\n</${wrapper}>`
    },
    writeResult: ({ name, text }) =>
      `<result name="${toAttribute(name)}">\n${toEscapedText(text, TAGS)}\n</result>`,
  }
}

/** A value whose text is ambiguous is marked as JSON. */
function writeParameter(key: string, value: JsonValue, type: ParameterType | undefined): string {
  const isPlain = isReadBack(value, type) && !isDangerous(value)
  const text = isPlain && typeof value === 'string' ? value : toEscapedJson(value, TAGS)
  return `<parameter name="${toAttribute(key)}"${isPlain ? '' : ' string="false"'}>${text}</parameter>\n`
}

function isDangerous(value: JsonValue): boolean {
  return typeof value === 'string' && (value.search(TAGS) !== -1 || LONE_SURROGATE.test(value))
}
