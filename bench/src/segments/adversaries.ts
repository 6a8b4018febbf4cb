import type { SegmentParserOptions } from 'millrace/segments'
import { fill } from './texts.ts'

/** The options of our parser for each measured format. */
export const adversaryOptions = {
  xml: { strategy: 'xml' },
  json: { strategy: 'json', provider: 'openai' },
  sentinel: { strategy: 'sentinel' },
  hermes: { formats: ['hermes'] },
  qwen3coder: { formats: ['qwen3coder'] },
  think: { formats: ['think'] },
} as const satisfies Readonly<Record<string, SegmentParserOptions>>

/** One of {@link adversaryOptions}. */
export type AdversaryFormat = keyof typeof adversaryOptions

/** Text on which a careless parser is slow. */
export interface Adversary {
  readonly name: string
  readonly format: AdversaryFormat
  /** Creates about this many characters. */
  build(length: number): string
}

/** A repeated unit, after an opener and before a closer. */
function around(unit: string, opener = '', closer = ''): Adversary['build'] {
  return (length) => `${opener}${fill(unit, length)}${closer}`
}

const toolEnd = '</arguments></tool>'
const writeFile = '<tool name="write_file"><arguments><arg name="path">a</arg>'
const qwenContent =
  '<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n'

/** Every input on which some parser is known to be slow, and similar inputs. */
export const adversaries: readonly Adversary[] = [
  // Openers that are never complete, or never end.
  { name: '<a <a <a', format: 'xml', build: around('<a') },
  { name: '<tool a="<tool a="', format: 'xml', build: around('<tool a="') },
  { name: '<tool a="" a=""', format: 'xml', build: around('a="" ', '<tool ') },
  { name: '<tools … without >', format: 'xml', build: around('word ', '<tools ') },
  { name: '<tool name="… never closed', format: 'xml', build: around('word ', '<tool name="') },
  { name: '<tool_cal<tool_cal', format: 'hermes', build: around('<tool_cal') },
  { name: '{ and spaces', format: 'json', build: around(' ', '{') },
  { name: '{{{{', format: 'json', build: around('{') },
  { name: '{"tool"{"tool"', format: 'json', build: around('{"tool"') },
  { name: '{ without [', format: 'json', build: around('word {x} ') },
  {
    name: '[[SEG_START never closed',
    format: 'sentinel',
    build: around('a', '[[SEG_START {"a":"'),
  },
  { name: '[[SEG_START repeated', format: 'sentinel', build: around('[[SEG_START {"a":') },
  { name: '[[[[', format: 'sentinel', build: around('[') },
  // Code regions that are never closed.
  { name: '` `` ``` runs of backticks', format: 'xml', build: around('` `` ```` ````` x ') },
  { name: '``` never closed', format: 'xml', build: around('a <run_bash> line\n', '```\n') },
  // Bodies full of possible closers.
  {
    name: '</write_fil in a file',
    format: 'xml',
    build: around('</write_fil', '<write_file path="a">'),
  },
  {
    name: '</write_file and spaces',
    format: 'xml',
    build: around(' ', '<write_file path="a"></write_file'),
  },
  {
    name: 'a file of new lines between markers',
    format: 'xml',
    build: around(
      '\n',
      `${writeFile}<arg name="content">__START_CONTENT__`,
      `__END_CONTENT__</arg>${toolEnd}`,
    ),
  },
  {
    name: 'a file of new lines without an end marker',
    format: 'xml',
    build: around('\n', `${writeFile}<arg name="content">__START_CONTENT__`, `x</arg>${toolEnd}`),
  },
  {
    name: '</arg> x in marked content',
    format: 'xml',
    build: around('</arg> x ', `${writeFile}<arg name="content">__START_CONTENT__`),
  },
  { name: '</parameter> x', format: 'qwen3coder', build: around('</parameter> x ', qwenContent) },
  { name: '</think and spaces', format: 'think', build: around('</think ', '<think>') },
  // Arguments that are missing, or wrong.
  {
    name: 'unclosed tags in arguments',
    format: 'xml',
    build: around('<a>', '<tool name="t"><arguments>', toolEnd),
  },
  {
    name: 'run_bash without its command',
    format: 'xml',
    build: around('some words ', '<tool name="run_bash"><arguments>'),
  },
  {
    name: 'write_file without its content',
    format: 'xml',
    build: around('some words ', writeFile),
  },
  {
    name: 'content before a path that never comes',
    format: 'xml',
    build: around('some words ', '<tool name="write_file"><arguments><arg name="content">'),
  },
  {
    name: '</tool_call> in a string',
    format: 'hermes',
    build: around('</tool_call> ', '<tool_call>{"name":"f","arguments":{"a":"'),
  },
  {
    name: 'brackets without end',
    format: 'hermes',
    build: around('[', '<tool_call>{"name":"f","arguments":'),
  },
  {
    name: 'arguments before a name that never comes',
    format: 'hermes',
    build: around('word ', '<tool_call>{"arguments":{"a":"'),
  },
  {
    name: 'many arguments',
    format: 'hermes',
    build: around('"a":1,', '<tool_call>{"name":"write_file","arguments":{'),
  },
  { name: 'many calls', format: 'xml', build: around('<run_bash>ls</run_bash> ') },
]
