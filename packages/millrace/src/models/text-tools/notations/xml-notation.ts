import type { JsonObject, JsonValue } from '../../../json/index.ts'
import type { ParameterTypes } from '../../../segments/index.ts'
import { projectionFor } from '../projected-tools.ts'
import type { ToolNotation } from '../tool-notation.ts'
import { toAttribute, toEscapedJson, toEscapedText } from './escape-marks.ts'
import { isReadBack, LONE_SURROGATE } from './typed-text.ts'

const TAGS = /<(?=\/?(?:tool|tool_result|arguments|arg|write_file|patch_file|run_bash|think)\b)/gi

/** The start of content between markers, such as `__START_CONTENT__`. */
const MARKER = /^\s*__START_/i

/** The tags of the streaming parser design. */
export const xmlNotation: ToolNotation = {
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
    `<tool_result name="${toAttribute(name)}">\n${toEscapedText(text, TAGS)}\n</tool_result>`,
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

/**
 * Encodes an argument next to the content of a file or command; a value that looks like a marker must not be read
 * as one.
 */
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
