import type { Format } from '../format.ts'
import { anthropic2023 } from './tags/anthropic-2023.ts'
import { applyPatch } from './tags/apply-patch.ts'
import { apriel } from './json/apriel.ts'
import { bolt } from './tags/bolt.ts'
import { codeblock } from './tags/codeblock.ts'
import { command } from './json/command.ts'
import { deepseekV3 } from './json/deepseek.ts'
import { functionary32 } from './json/functionary32.ts'
import { functionGemma, gemma4 } from './literals/gemma.ts'
import { granite, granite20b, graniteReasoning } from './json/granite.ts'
import { harmony } from './json/harmony.ts'
import { hunyuan3, hunyuanA13b } from './json/hunyuan.ts'
import { inkling } from './json/inkling.ts'
import { bareInvoke, dsml, invoke } from './tags/invoke.ts'
import { jsonList, toolCallList } from './json/json-list.ts'
import { kimiK2 } from './json/kimi.ts'
import { kimiK3 } from './tags/kimi-k3.ts'
import { llama3 } from './json/llama.ts'
import { minicpm5 } from './tags/minicpm5.ts'
import { minimaxM3 } from './tags/minimax-m3.ts'
import { mistral } from './json/mistral.ts'
import { museGlimmer } from './tags/muse-glimmer.ts'
import { olmo3, pythonic, pythonTokens } from './literals/pythonic.ts'
import { react } from './json/react.ts'
import { seedXml } from './tags/seed-xml.ts'
import { sentinel } from './json/sentinel.ts'
import { step3 } from './tags/step3.ts'
import { think } from './tags/think.ts'
import { bareFunctions, toolCall, toolCalls } from './tags/tool-call.ts'
import { toolJson } from './json/tool-json.ts'
import { xlam } from './json/xlam.ts'

/** Formats by name. */
export const presets = {
  anthropic: invoke({
    name: 'anthropic',
    wrappers: ['function_calls'],
    prefixes: ['', 'antml:'],
  }),
  'anthropic-2023': anthropic2023,
  apertus: {
    name: 'apertus',
    blocks: [
      ...think({ open: '<|inner_prefix|>', close: '<|inner_suffix|>', control: true }).blocks,
      ...jsonList({
        name: 'apertus',
        open: '<|tools_prefix|>',
        close: '<|tools_suffix|>',
        nameIsKey: true,
        control: true,
      }).blocks,
    ],
  },
  'apply-patch': applyPatch,
  apriel,
  bolt,
  codeblock,
  command,
  'deepseek-v3': deepseekV3,
  dots: {
    name: 'dots',
    blocks: [
      ...toolCall({ open: '<dots_function_call>', close: '</dots_function_call>' }).blocks,
      bareInvoke({}, ''),
    ],
  },
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
  granite,
  'granite-20b': granite20b,
  'granite-reasoning': graniteReasoning,
  harmony,
  hermes: toolCalls,
  'hunyuan-a13b': hunyuanA13b,
  hunyuan3: hunyuan3(),
  inkling,
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
  llama3,
  longcat: {
    name: 'longcat',
    blocks: [
      ...think({ open: '<longcat_think>', close: '</longcat_think>' }).blocks,
      ...toolCall({ open: '<longcat_tool_call>', close: '</longcat_tool_call>' }).blocks,
    ],
  },
  minicpm5,
  'minimax-m2': invoke({ name: 'minimax-m2', wrappers: ['minimax:tool_call'] }),
  'minimax-m3': minimaxM3,
  mistral,
  'muse-glimmer': museGlimmer,
  nemotron: jsonList({ name: 'nemotron', open: '<TOOLCALL>', close: '</TOOLCALL>' }),
  olmo3,
  'phi4-mini': {
    name: 'phi4-mini',
    blocks: [
      ...jsonList({ name: 'functools', open: 'functools' }).blocks,
      ...jsonList({
        name: 'phi',
        open: '<|tool_call|>',
        close: '<|/tool_call|>',
        control: true,
      }).blocks,
    ],
  },
  'python-tokens': pythonTokens,
  pythonic,
  qwen3coder: toolCalls,
  react,
  reasoning: think({ name: 'reasoning', open: '<reasoning>', close: '</reasoning>' }),
  'seed-oss': {
    name: 'seed-oss',
    blocks: [
      ...think({ open: '<seed:think>', close: '</seed:think>' }).blocks,
      ...toolCall({ open: '<seed:tool_call>', close: '</seed:tool_call>' }).blocks,
    ],
  },
  'seed-sentinel': sentinel,
  'seed-xml': seedXml(),
  step3,
  think: think(),
  thinking: think({ name: 'thinking', open: '<thinking>', close: '</thinking>' }),
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
