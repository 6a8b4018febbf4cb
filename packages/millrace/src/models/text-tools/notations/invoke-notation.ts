import type { JsonValue } from '../../../json/index.ts'
import type { ParameterType } from '../../../segments/index.ts'
import type { ToolNotation } from '../tool-notation.ts'
import { toAttribute, toEscapedJson, toEscapedText } from './escape-marks.ts'
import { isReadBack, LONE_SURROGATE } from './typed-text.ts'

const TAGS =
  /<(?=\/?(?:\w+:)?(?:result|invoke|parameter|function_calls|tool_call|tool_calls|think)\b)/gi

/** A tag for each argument, and one around the calls. */
export function invokeNotation(wrapper: string): ToolNotation {
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
