import fc from 'fast-check'
import type { MessageEnd, ModelEvent, ToolSchema } from '../../../src/events/index.ts'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'
import {
  createTextReader,
  type TextRequestOptions,
  toTextRequest,
} from '../../../src/models/text-tools/index.ts'
import type { TextReader } from '../../../src/models/text-tools/text-reader.ts'

/** All values that notations must escape, by the syntax. */
export const syntaxes = [
  'xml',
  'json',
  'sentinel',
  'hermes',
  'anthropic',
  'minimax-m2',
  'mistral',
  'llama3',
] as const

/** Fragments that are markup in one of the notations. */
const pieces = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '\\',
  '\n',
  '\r\n',
  ' ',
  ']]>',
  '<![CDATA[',
  '&lt;',
  '&amp;',
  '&#60;',

  '</tool>',
  '</arg>',
  '</arguments>',
  '<tool name="f">',
  '<arg name="x">',
  '<write_file path="a">',
  '__START_CONTENT__',
  '__END_CONTENT__',
  '</write_file>',
  '<!--',
  '-->',
  '</tool_result>',
  '[[SEG_END]]',
  '[[seg_end]]',
  '[[SEG_START {"type":"tool","tool_name":"f"}]]',
  ']]',
  '[[',
  '<tool_call>',
  '</tool_call>',
  '</tool_response>',
  '<function=f>',
  '</function>',
  '</think>',

  '<think>',
  '</parameter>',
  '</invoke>',
  '</function_calls>',
  '<invoke name="f">',
  '</result>',
  '</minimax:tool_call>',
  '<parameter name="x">',
  '[TOOL_CALLS]',
  '[ARGS]',
  '[/TOOL_RESULTS]',

  '{"name":"f","arguments":{}}',
  '{"tool":{"function":"f","parameters":{}}}',
  '{}',
  '};',
  '```',
  'é',
  '漢',
  '🌾',
  '\u0000',
  '\u2028',
  '\ud800',
  'x',
  'flour',
  '5',
  'true',
  'null',
]

/** Text with all characters that a notation must escape. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })), { maxLength: 8 })
  .map((parts) => parts.join(''))

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 3 }),
  ),
}))

/** A value and its schema, with a right, wrong or missing type. */
const argument = fc
  .tuple(
    anyValue.map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
    fc.constantFrom('own', 'own', 'string', 'integer', 'none'),
  )
  .map(([value, kind]) => ({ value, schema: toSchema(value, kind) }))

function toSchema(value: JsonValue, kind: string): JsonObject {
  if (kind === 'none') return {}
  return { type: kind === 'own' ? typeOf(value) : kind }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

const keys = fc.oneof(
  fc.constantFrom(
    'path',
    'content',
    'patch',
    'command',
    'city',
    'name',
    'arguments',
    'item',
    'tool',
  ),
  fc.stringMatching(/^[A-Za-z_][\w.-]{0,9}$/),
)
const names = fc.oneof(
  fc.constantFrom('write_file', 'patch_file', 'run_bash', 'get_weather', 'f'),
  fc.stringMatching(/^[a-z][\w-]{0,15}$/),
)

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** Tools whose content is verbatim in some notations. */
const fileCall = fc.oneof(
  fc
    .record({
      path: hostileText.map((path) => `a${path}`),
      content: hostileText,
      force: fc.boolean(),
    })
    .map((input) => ({
      tool: toTool('write_file', { path: text, content: text, force: flag }),
      input,
    })),
  fc.record({ command: hostileText, cwd: hostileText }).map((input) => ({
    tool: toTool('run_bash', { command: text, cwd: text }),
    input,
  })),
)

function toTool(name: string, properties: JsonObject): ToolSchema {
  return { name, description: '', inputSchema: { type: 'object', properties } }
}

/** A tool, and arguments for it. */
export const anyCall = fc.oneof(
  { arbitrary: fileCall, weight: 1 },
  { arbitrary: otherCall(), weight: 4 },
)

function otherCall(): fc.Arbitrary<{ readonly tool: ToolSchema; readonly input: JsonObject }> {
  return fc.tuple(names, fc.dictionary(keys, argument, { maxKeys: 4 })).map(([name, values]) => {
    const entries = Object.entries(values)
    const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]))
    const input = Object.fromEntries(entries.map(([key, { value }]) => [key, value]))
    return { tool: toTool(name, properties), input }
  })
}

/** Reads the chunks of a text as the answer of a model with offered tools. */
export function readAnswer(
  said: readonly string[],
  tools: readonly ToolSchema[],
  options: TextRequestOptions,
  end: Partial<MessageEnd> = {},
): ModelEvent[] {
  const reader = toReader(tools, options)
  return toMessage(said, end).flatMap((event) => reader.feed(event))
}

/** Reads the answer of a model with offered tools, with numbered ids. */
export function toReader(tools: readonly ToolSchema[], options: TextRequestOptions): TextReader {
  const request = { messages: [], tools, maxTokens: 1 }
  const { segments } = toTextRequest(request, { modelId: 'any', options })
  return createTextReader({
    segments,
    createId: ({ segmentId }, messageId) => `${messageId}_${segmentId}`,
    endWithCalls: (end) => (end.outcome === 'finished' ? { ...end, stopReason: 'tool_use' } : end),
  })
}

/** A message of one text. */
function toMessage(said: readonly string[], end: Partial<MessageEnd>): ModelEvent[] {
  const text = said.join('')
  const deltas = said.filter((piece) => piece !== '')
  return [
    { type: 'message_start', messageId: 'msg', model: 'any' },
    { type: 'block_start', block: 0, kind: 'text', content: { type: 'text', text: '' } },
    ...deltas.map((piece) => ({ type: 'block_delta', block: 0, text: piece }) as const),
    { type: 'block_end', block: 0, kind: 'text', content: { type: 'text', text } },
    {
      type: 'message_end',
      outcome: 'finished',
      stopReason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
      content: [{ type: 'text', text }],
      retry: 'none',
      ...end,
    },
  ]
}
