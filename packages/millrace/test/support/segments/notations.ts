import type { JsonObject } from '../../../src/json/index.ts'
import type { PresetName, SegmentParserOptions } from '../../../src/segments/index.ts'
import { toolTags } from '../../../src/segments/formats/tags/coding-tools.ts'

/** The notation of calls in a format. */
export interface Notation {
  readonly name: string
  readonly options: SegmentParserOptions
  /** Whether arguments are JSON, text, or text of which the format defines the JSON parts. */
  readonly values: 'json' | 'text' | 'typed'
  /** Writes one call. */
  write(tool: string, values: JsonObject): string
  /** Markers of the notation that a value may contain, unless it is then ambiguous. */
  readonly marks: readonly string[]
  readonly ambiguous?: RegExp
  /** The tools and their arguments, if the format must have them. */
  readonly tools?: readonly string[]
  readonly keys?: readonly string[]
  /** The characters that are dropped around values of any writer. */
  readonly trims?: 'space' | 'line'
  /** Only tools that are shown as files and commands can be written. */
  readonly filesOnly?: boolean
}

type Write = Notation['write']

const json = JSON.stringify
const named: Write = (name, values) => json({ name, arguments: values })
const listed: Write = (tool, values) => json([{ name: tool, arguments: values }])

function around(open: string, close: string, write: Write = named): Write {
  return (tool, values) => `${open}${write(tool, values)}${close}`
}

function fields(values: JsonObject, write: (key: string, value: string) => string): string {
  return Object.entries(values)
    .map(([key, value]) => write(key, String(value)))
    .join('')
}

/** A notation of JSON, which is never ambiguous. */
function ofJson(formats: PresetName | SegmentParserOptions, write: Write, name = ''): Notation {
  const isPreset = typeof formats === 'string'
  const options = isPreset ? { formats: [formats] } : formats
  const marks = write('f', {}).split(/(?<=[>\]])|(?=[<[{])/)
  return {
    name: `${isPreset ? formats : json(options)} ${name}`,
    options,
    values: 'json',
    write,
    marks,
  }
}

const kimiCall: Write = (tool, values) =>
  `<|tool_call_begin|>functions.${tool}:0<|tool_call_argument_begin|>${json(values)}<|tool_call_end|>`
const deepseekCall: Write = (tool, values) =>
  `<｜tool▁call▁begin｜>${tool}<｜tool▁sep｜>${json(values)}<｜tool▁call▁end｜>`
const oldDeepseekCall: Write = (tool, values) =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${tool}\n\`\`\`json\n${json(values)}\n\`\`\`<｜tool▁call▁end｜>`
const commandCall: Write = (tool, values) =>
  json([{ tool_call_id: '0', tool_name: tool, parameters: values }])
const harmonyCall: Write = (tool, values) =>
  `<|channel|>commentary to=functions.${tool} <|constrain|>json<|message|>${json(values)}`

const jsonNotations: readonly Notation[] = [
  ofJson('hermes', around('<tool_call>\n', '\n</tool_call>')),
  ofJson('longcat', around('<longcat_tool_call>', '</longcat_tool_call>')),
  ofJson('kimi-k2', around('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', kimiCall)),
  ofJson('kimi-k2', kimiCall, 'without a section'),
  ofJson('deepseek-v3', around('<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', deepseekCall)),
  ofJson(
    'deepseek-v3',
    around('<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', oldDeepseekCall),
    'in a fence',
  ),
  ofJson('mistral', around('[TOOL_CALLS]', '', listed), 'list'),
  ofJson('mistral', (tool, values) => `[TOOL_CALLS]${tool}[ARGS]${json(values)}`),
  ofJson('llama3', around('<|python_tag|>', '')),
  ofJson('json', around('\n', '\n')),
  ofJson('granite', around('<|tool_call|>', '', listed)),
  ofJson('jamba', around('<tool_calls>', '</tool_calls>', listed)),
  ofJson('nemotron', around('<TOOLCALL>', '</TOOLCALL>', listed)),
  ofJson('command', around('<|START_ACTION|>', '<|END_ACTION|>', commandCall)),
  ofJson(
    'apertus',
    (tool, values) => `<|tools_prefix|>${json([{ [tool]: values }])}<|tools_suffix|>`,
  ),
  ofJson('functionary', (tool, values) => `<function=${tool}>${json(values)}</function>`),
  ofJson('harmony', around('<|start|>assistant', '<|call|>', harmonyCall)),
  ofJson({ strategy: 'json', provider: 'openai' }, (tool, values) =>
    json({ tool_calls: [{ function: { name: tool, arguments: values } }] }),
  ),
  ofJson({ strategy: 'json', provider: 'gemini' }, (tool, values) =>
    json({ name: tool, args: values }),
  ),
  ofJson({ strategy: 'json' }, (tool, values) =>
    json({ tool: { function: tool, parameters: values } }),
  ),
]

const functionTag: Write = (tool, values) =>
  `<function=${tool}>\n${fields(values, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>`

/** `<parameter=` ends a value, and so does a closer after which the call can continue. */
function ofFunctions(name: PresetName, wrapper: string): Notation {
  const [open, close] = wrapper === '' ? ['', ''] : [`<${wrapper}>\n`, `\n</${wrapper}>`]
  const ends = ['/function>', ...(wrapper === '' ? [] : [`/${wrapper}>`])]
  return {
    name: `${name} with tags`,
    options: { formats: [name] },
    values: 'text',
    write: around(open, close, functionTag),
    marks: ['</parameter>', ...ends.map((end) => `<${end}`), '<function=f>', ' '],
    ambiguous: new RegExp(
      `<parameter=|</parameter>\\s*<(?:${ends.join('|')})|<(?:${ends.join('|')})\\s*<(?:function=|${ends.join('|')})`,
    ),
    trims: 'line',
  }
}

function invokeTag(prefix: string, toType: (value: unknown) => string = () => ''): Write {
  const parameter = `${prefix}parameter`
  return (tool, values) =>
    `<${prefix}invoke name="${tool}">\n${Object.entries(values)
      .map(([key, value]) => {
        const text = typeof value === 'string' ? value : json(value)
        return `<${parameter} name="${key}"${toType(value)}>${text}</${parameter}>\n`
      })
      .join('')}</${prefix}invoke>`
}

function ofInvoke(name: PresetName, prefix: string, wrapper: string, write: Write): Notation {
  const ends = `/${prefix}(?:invoke|${wrapper})>`
  return {
    name,
    options: { formats: [name] },
    values: 'text',
    write: around(`<${prefix}${wrapper}>\n`, `\n</${prefix}${wrapper}>`, write),
    marks: [
      `</${prefix}parameter>`,
      `</${prefix}invoke>`,
      `</${prefix}${wrapper}>`,
      `<${prefix}invoke>`,
    ],
    ambiguous: new RegExp(
      `<${prefix}parameter|</${prefix}parameter>\\s*<${ends}|<${ends}\\s*<(?:${prefix}invoke|${ends})`,
    ),
  }
}

const taggedTools = {
  ask: ['a', 'b', 'query'],
  write_file: ['path', 'content'],
  patch_file: ['path', 'patch'],
  run_bash: ['command'],
}

const isStringAttribute = (value: unknown): string => ` string="${typeof value === 'string'}"`

const textNotations: readonly Notation[] = [
  ofFunctions('qwen3coder', 'tool_call'),
  ofFunctions('seed-oss', 'seed:tool_call'),
  ofFunctions('functionary', ''),
  {
    name: 'glm',
    options: { formats: ['glm'] },
    values: 'text',
    write: (tool, values) =>
      `<tool_call>${tool}\n${fields(values, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>`,
    marks: ['</arg_value>', '</arg_key>', '</tool_call>', '<tool_call>', ' '],
    ambiguous: /<arg_key>|<\/arg_value>\s*<\/tool_call>/,
  },
  ofInvoke('anthropic', '', 'function_calls', invokeTag('')),
  ofInvoke('minimax-m2', '', 'minimax:tool_call', invokeTag('')),
  {
    ...ofInvoke('dsml', '｜DSML｜', 'tool_calls', invokeTag('｜DSML｜', isStringAttribute)),
    values: 'typed',
  },
  {
    name: 'tool tags',
    options: { formats: [toolTags(taggedTools)] },
    values: 'text',
    write: (tool, values) =>
      `<${tool}>\n${fields(values, (key, value) => `<${key}>\n${value}\n</${key}>\n`)}</${tool}>`,
    marks: ['</a>', '</query>', '<a>', '</ask>', '</content>', '</write_file>'],
    ambiguous:
      /<\/(?:a|b|query|path|content|patch|command)>\s*<\/?(?:a|b|query|path|content|patch|write|run)/,
    tools: ['ask'],
    keys: taggedTools.ask,
    trims: 'line',
  },
  {
    name: 'seed-xml',
    options: { strategy: 'xml' },
    values: 'text',
    write: (tool, values) =>
      `<tool name="${tool}"><arguments>${fields(values, (key, value) => `<arg name="${key}">${value}</arg>`)}</arguments></tool>`,
    marks: [],
    // Markup and references in values are for the adapter, which has separate tests.
    ambiguous: /[<&]/,
    trims: 'space',
  },
]

/** The notation of tools that are shown as files and commands, in formats with markers for nothing else. */
const fileNotations: readonly Notation[] = [
  {
    name: 'xml tags',
    options: { strategy: 'xml' },
    values: 'text',
    write: (tool, { path, ...rest }) =>
      `<${tool}${path === undefined ? '' : ` path="${String(path)}"`}>${fields(rest, (_key, value) => value)}</${tool}>`,
    marks: ['</content>', '<run_bash>', '</write_fil', '<![CDATA['],
    ambiguous: /<\/(?:write_file|patch_file|run_bash)\s*>/i,
    filesOnly: true,
  },
  {
    name: 'sentinel',
    options: { strategy: 'sentinel' },
    values: 'text',
    write: (tool, { path, ...rest }) =>
      `[[SEG_START ${json({ type: tool, ...(path !== undefined && { path }) })}]]${fields(rest, (_key, value) => value)}[[SEG_END]]`,
    marks: ['[[SEG_START {}]]', '[[SEG_EN'],
    ambiguous: /\[\[SEG_END\]\]/i,
    filesOnly: true,
  },
]

/** The notations of all formats that write calls. */
export const notations: readonly Notation[] = [...jsonNotations, ...textNotations, ...fileNotations]
