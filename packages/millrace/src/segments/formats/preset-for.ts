import type { Format } from '../format.ts'
import { auto, type PresetName, presets } from './presets.ts'

/** A pattern of model ids, in lower case and with `-` for `_` and spaces, and the formats of these models. */
type ModelRow = readonly [ids: RegExp, ...formats: PresetName[]]

/**
 * Families of models by their ids on Ollama, vLLM, Hugging Face and OpenRouter. The first row that matches counts, so a family precedes
 * those that its ids may also name, such as its base model.
 */
export const modelRows: readonly ModelRow[] = [
  [/hermes/, 'think', 'hermes'],
  [/xlam/, 'think', 'xlam'],
  [/toolace/, 'pythonic'],
  [/functionary.*3\.2/, 'functionary32'],
  [/functionary/, 'functionary'],
  [/deepseek-?r1-distill/, 'think', 'hermes', 'deepseek-v3'],
  [/deepseek.*(?:v3\.2|v[4-9])/, 'think', 'dsml'],
  [/deepseek.*(?:v3|r1)/, 'think', 'deepseek-v3'],
  [/deepseek/, 'think', 'deepseek-v3', 'dsml'],
  [/kimi-?k3/, 'kimi-k3'],
  [/kimi/, 'think', 'kimi-k2'],
  [/minimax-?m3/, 'minimax-m3'],
  [/minimax/, 'think', 'minimax-m2'],
  [/gpt-?oss/, 'harmony'],
  [/glm|laguna/, 'think', 'glm'],
  [/nemotron-?3-(?:nano|super|ultra)/, 'think', 'qwen3coder'],
  [/nemotron/, 'think', 'nemotron'],
  [/qwen-?3-?coder/, 'qwen3coder'],
  [/qwen-?2/, 'hermes'],
  [/qwen|qwq|mimo|ernie|exaone|smollm3|(?:^|\/)(?:ling|ring)-/, 'think', 'hermes'],
  [/(?:mi|mini|magi|dev|code)stral|(?:mi|pi|vo)xtral/, 'mistral'],
  [/llama-?4/, 'pythonic', 'llama3'],
  [/llama-?3\.2/, 'llama3', 'pythonic'],
  [/llama/, 'llama3'],
  [/functiongemma/, 'functiongemma'],
  [/gemma-?4/, 'gemma4'],
  [/gemma/, 'json', 'pythonic'],
  [/granite-?4/, 'think', 'hermes'],
  [/granite-20b/, 'granite-20b'],
  [/granite/, 'granite-reasoning', 'granite', 'hermes'],
  [/command-?[ra]/, 'command'],
  [/phi-?4-mini/, 'think', 'phi4-mini'],
  [/jamba/, 'jamba'],
  [/lfm-?2/, 'think', 'python-tokens'],
  [/olmo-?3/, 'think', 'olmo3'],
  [/seed-oss/, 'seed-oss'],
  [/longcat/, 'think', 'longcat'],
  [/internlm/, 'think', 'internlm2'],
  [/apertus/, 'apertus'],
  [/apriel/, 'apriel'],
  [/hunyuan-?a13b/, 'hunyuan-a13b'],
  [/hunyuan|(?:^|\/)hy-?3/, 'think', 'hunyuan3'],
  [/gigachat/, 'gigachat3'],
  [/(?:^|\/)step-?3\.[5-9]/, 'think', 'qwen3coder'],
  [/(?:^|\/)step-?3/, 'think', 'step3'],
  [/minicpm-?5/, 'think', 'minicpm5'],
  [/(?:^|\/)dots\b/, 'think', 'dots'],
  [/inkling/, 'inkling'],
  [/muse-?glimmer/, 'muse-glimmer'],
  [/claude-(?:v?[12]|instant)/, 'anthropic-2023'],
  [/claude/, 'anthropic'],
]

/** Returns the formats that a model writes if the server does not parse its calls and reasoning; `auto` for an unknown model. */
export function presetFor(modelId: string): readonly Format[] {
  const id = modelId.toLowerCase().replace(/[_\s]+/g, '-')
  const row = modelRows.find(([ids]) => ids.test(id))
  if (row === undefined) return auto
  const [, ...names] = row
  return [...new Set(names.map((name) => presets[name]))]
}
