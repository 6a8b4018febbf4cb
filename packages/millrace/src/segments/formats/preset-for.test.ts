import { expect, test } from 'vitest'
import { createSegmentParser } from '../parser.ts'
import { modelRows, presetFor } from './preset-for.ts'
import { auto, type PresetName, presets } from './presets.ts'

/** Model ids in various spellings, with the presets of each. */
const ids: readonly (readonly [id: string, ...formats: PresetName[]])[] = [
  ['NousResearch/Hermes-3-Llama-3.1-8B', 'think', 'hermes'],
  ['openhermes:7b-mistral-v2.5', 'think', 'hermes'],
  ['Salesforce/Llama-xLAM-2-8b-fc-r', 'think', 'xlam'],
  ['Team-ACE/ToolACE-2-Llama-3.1-8B', 'pythonic'],
  ['meetkai/functionary-small-v3.2', 'functionary32'],
  ['meetkai/functionary-medium-v3.1', 'functionary'],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-32B', 'think', 'hermes', 'deepseek-v3'],
  ['deepseek/deepseek-v3.2-exp', 'think', 'dsml'],
  ['deepseek-ai/DeepSeek-V4', 'think', 'dsml'],
  ['deepseek-ai/DeepSeek-V3.1', 'think', 'deepseek-v3'],
  ['deepseek-r1:14b', 'think', 'deepseek-v3'],
  ['deepseek/deepseek-r1-0528:free', 'think', 'deepseek-v3'],
  ['deepseek-chat', 'think', 'deepseek-v3', 'dsml'],
  ['moonshotai/Kimi-K3', 'kimi-k3'],
  ['moonshotai/kimi-k2-thinking', 'think', 'kimi-k2'],
  ['MiniMaxAI/MiniMax-M3', 'minimax-m3'],
  ['minimax/minimax-m2', 'think', 'minimax-m2'],
  ['openai/gpt-oss-120b', 'harmony'],
  ['gpt-oss:20b', 'harmony'],
  ['zai-org/GLM-4.5-Air', 'think', 'glm'],
  ['z-ai/glm-5', 'think', 'glm'],
  ['nvidia/nemotron-3-nano-30b-a3b', 'think', 'qwen3coder'],
  ['nvidia/Llama-3_3-Nemotron-Super-49B-v1_5', 'think', 'nemotron'],
  ['nvidia/NVIDIA-Nemotron-Nano-9B-v2', 'think', 'nemotron'],
  ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 'qwen3coder'],
  ['qwen3-coder:30b', 'qwen3coder'],
  ['qwen2.5-coder:7b', 'hermes'],
  ['Qwen/Qwen3-235B-A22B-Thinking-2507', 'think', 'hermes'],
  ['qwen/qwq-32b', 'think', 'hermes'],
  ['inclusionAI/Ling-1T', 'think', 'hermes'],
  ['XiaomiMiMo/MiMo-V2-Flash', 'think', 'hermes'],
  ['mistralai/Mistral-Small-3.2-24B-Instruct-2506', 'mistral'],
  ['mistral-nemo', 'mistral'],
  ['mistralai/devstral-small', 'mistral'],
  ['magistral:24b', 'mistral'],
  ['ministral-3b-latest', 'mistral'],
  ['codestral', 'mistral'],
  ['mixtral:8x7b', 'mistral'],
  ['mistralai/pixtral-12b', 'mistral'],
  ['meta-llama/Llama-4-Scout-17B-16E-Instruct', 'pythonic', 'llama3'],
  ['llama3.2:3b', 'llama3', 'pythonic'],
  ['meta-llama/Llama-3.3-70B-Instruct', 'llama3'],
  ['google/functiongemma-270m-it', 'functiongemma'],
  ['google/gemma-4-27b-it', 'gemma4'],
  ['gemma3:12b', 'json', 'pythonic'],
  ['ibm-granite/granite-4.0-h-small', 'think', 'hermes'],
  ['ibm-granite/granite-20b-functioncalling', 'granite-20b'],
  ['granite3.3:8b', 'granite-reasoning', 'granite', 'hermes'],
  ['CohereLabs/c4ai-command-r7b-12-2024', 'command'],
  ['cohere/command-a', 'command'],
  ['microsoft/Phi-4-mini-instruct', 'think', 'phi4-mini'],
  ['phi4-mini-reasoning', 'think', 'phi4-mini'],
  ['ai21labs/AI21-Jamba-Large-1.7', 'jamba'],
  ['LiquidAI/LFM2-1.2B', 'think', 'python-tokens'],
  ['allenai/Olmo-3-7B-Instruct', 'think', 'olmo3'],
  ['ByteDance-Seed/Seed-OSS-36B-Instruct', 'seed-oss'],
  ['meituan-longcat/LongCat-Flash-Chat', 'think', 'longcat'],
  ['internlm/internlm2_5-7b-chat', 'think', 'internlm2'],
  ['swiss-ai/Apertus-8B-Instruct-2509', 'apertus'],
  ['ServiceNow-AI/Apriel-1.5-15b-Thinker', 'apriel'],
  ['tencent/Hunyuan-A13B-Instruct', 'hunyuan-a13b'],
  ['tencent/HY-3', 'think', 'hunyuan3'],
  ['ai-sage/GigaChat3-10B-A1.8B', 'gigachat3'],
  ['stepfun/step-3.5-flash', 'think', 'qwen3coder'],
  ['stepfun-ai/step3', 'think', 'step3'],
  ['openbmb/MiniCPM5-8B', 'think', 'minicpm5'],
  ['rednote-hilab/dots.llm2', 'think', 'dots'],
  ['inkling-1', 'inkling'],
  ['muse-glimmer', 'muse-glimmer'],
  ['anthropic.claude-v2:1', 'anthropic-2023'],
  ['claude-2.1', 'anthropic-2023'],
  ['anthropic/claude-sonnet-4.5', 'anthropic'],
]

test.each(ids.map(([id, ...names]) => ({ id, names })))('$id', ({ id, names }) => {
  expect(presetFor(id).map(({ name }) => name)).toEqual([
    ...new Set(names.map((name) => presets[name].name)),
  ])
})

test('every row can be reached', () => {
  const normal = ids.map(([id]) => id.toLowerCase().replaceAll('_', '-'))
  const reached = new Set(normal.map((id) => modelRows.find(([pattern]) => pattern.test(id))))
  expect(modelRows.filter((row) => !reached.has(row))).toEqual([])
})

test('the formats of every row exist and can be combined', () => {
  for (const [, ...names] of modelRows) {
    for (const name of names) expect(presets).toHaveProperty([name])
    expect(() => createSegmentParser({ formats: names })).not.toThrow()
  }
})

test.each([
  '',
  'gpt-5.2',
  'gemini-3-pro',
  'dolphin-phi',
  'my-string-model',
  'stepwise',
  'whatever',
])('%j is unknown', (id) => {
  expect(presetFor(id)).toBe(auto)
})
