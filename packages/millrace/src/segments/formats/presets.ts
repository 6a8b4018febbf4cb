import type { Format } from '../format.ts'
import { anthropic2023, bareInvoke, dsml, invoke, step3, minicpm5 } from './tags/invoke.ts'
import { combine } from './combine.ts'
import { applyPatch } from './tags/apply-patch.ts'
import { bolt, codeblock } from './tags/coding-tools.ts'
import { deepseekV3, kimiK2, mistral } from './json/token-calls.ts'
import { functionary32, bareCalls, toolJson, react, xlam } from './json/known-tools.ts'
import { functionGemma, gemma4 } from './literals/gemma.ts'
import { harmony } from './json/harmony.ts'
import { hunyuan3, hunyuanA13b } from './json/hunyuan.ts'
import { jsonList, toolCallList } from './json/json-list.ts'
import { kimiK3 } from './tags/kimi-k3.ts'
import { minimaxM3 } from './tags/minimax-m3.ts'
import { museGlimmer } from './tags/muse-glimmer.ts'
import { olmo3, pythonic, pythonTokens } from './literals/pythonic.ts'
import { seedXml } from './tags/seed-xml.ts'
import { think } from './tags/think.ts'
import { bareFunctions, toolCall, toolCalls } from './tags/tool-call.ts'

const INKLING_END = '<|end_message|>'

const between = (tag: string) => ({ open: `<${tag}>`, close: `</${tag}>` })

/** Formats by name. */
export const presets = {
  anthropic: invoke({
    name: 'anthropic',
    wrappers: ['function_calls'],
    prefixes: ['', 'antml:'],
  }),
  'anthropic-2023': anthropic2023,
  apertus: combine(
    'apertus',
    think({ open: '<|inner_prefix|>', close: '<|inner_suffix|>', control: true }),
    jsonList({
      name: 'apertus',
      open: '<|tools_prefix|>',
      close: '<|tools_suffix|>',
      nameIsKey: true,
      control: true,
    }),
  ),
  'apply-patch': applyPatch,
  /** Its opening line is often in the prompt: then the parser must start in reasoning. */
  apriel: combine(
    'apriel',
    think({
      open: 'Here are my reasoning steps:',
      close: '[BEGIN FINAL RESPONSE]',
      answer: ['[END FINAL RESPONSE]'],
      at: 'stream',
    }),
    toolCallList,
  ),
  bolt,
  codeblock,
  command: combine(
    'command',
    think({
      open: '<|START_THINKING|>',
      close: ['<|END_THINKING|>', '<|START_RESPONSE|>', '<|START_TEXT|>'],
      answer: ['<|END_RESPONSE|>', '<|END_TEXT|>'],
      control: true,
    }),
    jsonList({
      name: 'command',
      open: '<|START_ACTION|>',
      close: '<|END_ACTION|>',
      control: true,
    }),
  ),
  'deepseek-v3': deepseekV3,
  dots: combine('dots', toolCall(between('dots_function_call')), bareInvoke({}, '')),
  dsml,
  functionary: { name: 'functionary', blocks: [bareFunctions] },
  functionary32,
  functiongemma: functionGemma,
  gemma4,
  gigachat3: jsonList({
    name: 'gigachat3',
    open: [
      '<|function_call|>',
      'function call<|role_sep|>',
      '<|message_sep|>\n\nfunction call<|role_sep|>',
    ],
    control: true,
  }),
  glm: toolCalls,
  granite: jsonList({ name: 'granite', open: '<|tool_call|>', control: true }),
  'granite-20b': jsonList({ name: 'granite-20b', ...between('function_call') }),
  /** Granite 3.2 announces its reasoning in words, only at the start; 3.3 writes tags, also around the answer. */
  'granite-reasoning': combine(
    'granite-reasoning',
    ...think({
      open: ['Here is my thought process:', "Here's my thought process:"],
      close: ['Here is my response:', "Here's my response:"],
      at: 'stream',
    }).blocks.map((block) => ({ ...block, orphans: [] })),
    think({
      close: ['</think>\n<response>', '</think><response>', '</think>'],
      answer: ['</response>'],
    }),
  ),
  harmony,
  hermes: toolCalls,
  'hunyuan-a13b': hunyuanA13b,
  hunyuan3: hunyuan3(),
  /** Messages between special tokens, each with the token of its kind and a common end. */
  inkling: combine(
    'inkling',
    think({
      open: '<|content_thinking|>',
      close: [
        INKLING_END,
        '<|content_text|>',
        '<|message_model|>',
        '<|content_model_end_sampling|>',
      ],
      control: true,
    }),
    jsonList({
      name: 'inkling',
      open: '<|content_invoke_tool_json|>',
      close: INKLING_END,
      control: true,
    }),
  ),
  internlm2: jsonList({
    name: 'internlm2',
    open: ['<|action_start|><|plugin|>', '<|action_start|> <|plugin|>'],
    close: '<|action_end|>',
    control: true,
  }),
  jamba: toolCallList,
  json: toolJson,
  'kimi-k2': kimiK2,
  'kimi-k3': kimiK3,
  /** JSON after `<|python_tag|>`, or at the start of the answer. */
  llama3: combine(
    'llama3',
    jsonList({ name: 'llama3', open: '<|python_tag|>', separators: [';'], control: true }),
    bareCalls('stream'),
  ),
  longcat: combine(
    'longcat',
    think(between('longcat_think')),
    toolCall(between('longcat_tool_call')),
  ),
  minicpm5,
  'minimax-m2': invoke({ name: 'minimax-m2', wrappers: ['minimax:tool_call'] }),
  'minimax-m3': minimaxM3,
  mistral,
  'muse-glimmer': museGlimmer,
  nemotron: jsonList({ name: 'nemotron', ...between('TOOLCALL') }),
  olmo3,
  'phi4-mini': combine(
    'phi4-mini',
    jsonList({ name: 'functools', open: 'functools' }),
    jsonList({ name: 'phi', open: '<|tool_call|>', close: '<|/tool_call|>', control: true }),
  ),
  'python-tokens': pythonTokens,
  pythonic,
  qwen3coder: toolCalls,
  react,
  reasoning: think({ name: 'reasoning', ...between('reasoning') }),
  'seed-oss': combine(
    'seed-oss',
    think(between('seed:think')),
    toolCall(between('seed:tool_call')),
  ),
  /** `[[SEG_START {"type":"write_file","path":"/a"}]]` … `[[SEG_END]]`. */
  'seed-sentinel': combine('seed-sentinel', {
    open: { header: '[[SEG_START', end: ']]' },
    body: { raw: { segment: 'tool_call', close: [{ anyCaseOf: '[[SEG_END]]' }] } },
  }),
  'seed-xml': seedXml(),
  step3,
  think: think(),
  thinking: think({ name: 'thinking', ...between('thinking') }),
  xlam,
} satisfies Readonly<Record<string, Format>>

/** The name of a format in {@link presets}. */
export type PresetName = keyof typeof presets

const unambiguous: readonly PresetName[] = [
  'think',
  'hermes',
  'anthropic',
  'minimax-m2',
  'dsml',
  'kimi-k2',
  'deepseek-v3',
  'mistral',
  'harmony',
  'gemma4',
  'command',
  'kimi-k3',
  'minimax-m3',
  'python-tokens',
  'seed-oss',
  'longcat',
  'nemotron',
  'jamba',
  'granite',
  'granite-20b',
  'functiongemma',
  'apertus',
  'internlm2',
  'inkling',
  'step3',
  'dots',
]

/** Formats whose markers have no other meaning in prose; never includes calls without markers. */
export const auto: readonly Format[] = unambiguous.map((name) => presets[name])
