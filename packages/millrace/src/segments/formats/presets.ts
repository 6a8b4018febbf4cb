import type { Format } from '../format.ts'
import { applyPatch } from './apply-patch.ts'
import { bolt } from './bolt.ts'
import { deepseekV3 } from './deepseek.ts'
import { functionGemma, gemma4 } from './gemma.ts'
import { harmony } from './harmony.ts'
import { invoke } from './invoke.ts'
import { jsonList } from './json-list.ts'
import { kimiK2 } from './kimi.ts'
import { llama3 } from './llama.ts'
import { mistral } from './mistral.ts'
import { olmo3, pythonic, pythonTokens } from './pythonic.ts'
import { seedXml } from './seed-xml.ts'
import { sentinel } from './sentinel.ts'
import { think } from './think.ts'
import { functionBlock, toolCall } from './tool-call.ts'
import { toolJson } from './tool-json.ts'

const toolCalls = toolCall()
const DSML_BARS = ['｜DSML｜', '|DSML|']

/** Formats by name. */
export const presets = {
  anthropic: invoke({
    name: 'anthropic',
    wrappers: ['function_calls'],
    prefixes: ['', 'antml:'],
  }),
  apertus: jsonList({
    name: 'apertus',
    open: '<|tools_prefix|>',
    close: '<|tools_suffix|>',
    nameIsKey: true,
    control: true,
  }),
  'apply-patch': applyPatch,
  bolt,
  command: {
    name: 'command',
    blocks: [
      ...think({ open: '<|START_THINKING|>', close: '<|END_THINKING|>', control: true }).blocks,
      ...jsonList({
        name: 'command',
        open: '<|START_ACTION|>',
        close: '<|END_ACTION|>',
        control: true,
      }).blocks,
    ],
  },
  'deepseek-v3': deepseekV3,
  dsml: invoke({
    name: 'dsml',
    wrappers: ['tool_calls', 'function_calls'],
    prefixes: DSML_BARS,
    control: true,
  }),
  functionary: { name: 'functionary', blocks: [functionBlock([])] },
  functiongemma: functionGemma,
  gemma4,
  glm: toolCalls,
  granite: jsonList({ name: 'granite', open: '<|tool_call|>', control: true }),
  harmony,
  hermes: toolCalls,
  jamba: jsonList({ name: 'jamba', open: '<tool_calls>', close: '</tool_calls>' }),
  json: toolJson,
  'kimi-k2': kimiK2,
  llama3,
  longcat: toolCall({
    name: 'longcat',
    open: '<longcat_tool_call>',
    close: '</longcat_tool_call>',
  }),
  'minimax-m2': invoke({ name: 'minimax-m2', wrappers: ['minimax:tool_call'] }),
  mistral,
  nemotron: jsonList({ name: 'nemotron', open: '<TOOLCALL>', close: '</TOOLCALL>' }),
  olmo3,
  pythonic,
  'python-tokens': pythonTokens,
  qwen3coder: toolCalls,
  'seed-oss': {
    name: 'seed-oss',
    blocks: [
      ...think({ open: '<seed:think>', close: '</seed:think>' }).blocks,
      ...toolCall({ open: '<seed:tool_call>', close: '</seed:tool_call>' }).blocks,
    ],
  },
  'seed-sentinel': sentinel,
  'seed-xml': seedXml,
  think: think(),
} satisfies Readonly<Record<string, Format>>

/** The name of a format in {@link presets}. */
export type PresetName = keyof typeof presets

/** Formats whose markers mean nothing else in prose; calls without markers are never among them. */
export const auto: readonly Format[] = [
  presets.think,
  toolCalls,
  presets.anthropic,
  presets['minimax-m2'],
  presets.dsml,
  kimiK2,
  deepseekV3,
  mistral,
]
