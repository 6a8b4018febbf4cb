import { presetFor, presets, toolTags } from 'millrace/segments'
import type { Format, FormatChoice } from 'millrace/segments'

/** What to look for in a text. */
export interface LabFormat {
  readonly kind: FormatKind
  /** What the kind asks for: names of formats, a model, a provider or tools. */
  readonly detail: string
}

/** What the page says of a kind of choice, and what it stands for. */
export interface FormatKindTraits {
  readonly label: string
  readonly choose: (detail: string) => FormatChoice
}

/** The kinds of choice, in the order in which they are offered. */
export const formatKinds = {
  auto: {
    label: 'Automatic: all unmistakable ones',
    choose: () => ({ formats: 'auto' }),
  },
  named: {
    label: 'Formats by name',
    choose: (detail) => ({ formats: toNames(detail).map(findPreset) }),
  },
  model: { label: 'Formats of a model', choose: (id) => ({ formats: presetFor(id) }) },
  xml: { label: 'Strategy: XML tags', choose: () => ({ strategy: 'xml' }) },
  json: {
    label: 'Strategy: JSON of a provider',
    choose: (provider) => ({ strategy: 'json', provider }),
  },
  sentinel: { label: 'Strategy: sentinels', choose: () => ({ strategy: 'sentinel' }) },
  tags: {
    label: 'Tags named after tools, and think',
    choose: (detail) => ({ formats: ['think', toolTags(readTools(detail))] }),
  },
} as const satisfies Readonly<Record<string, FormatKindTraits>>

/** The name of a kind of choice. */
export type FormatKind = keyof typeof formatKinds

/** Providers whose models are taught JSON calls of different shapes. */
export const jsonProviders = ['openai', 'gemini', 'mistral', 'deepseek', 'grok', 'other'] as const

/** The names of all formats that can be chosen. */
export const presetNames: readonly string[] = Object.keys(presets)

/** Whether a word names a kind of choice. */
export function isFormatKind(word: string): word is FormatKind {
  return Object.hasOwn(formatKinds, word)
}

/** What a parser is told; throws with words for people if the choice cannot be. */
export function toFormatChoice({ kind, detail }: LabFormat): FormatChoice {
  return formatKinds[kind].choose(detail)
}

/** Names in a list with commas, each once. */
export function toNames(list: string): readonly string[] {
  const names = list.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

function findPreset(name: string): Format {
  const table: Readonly<Record<string, Format>> = presets
  const preset = Object.hasOwn(table, name) ? table[name] : undefined
  if (preset === undefined) throw new Error(`There is no format “${name}”. Choose from the list.`)
  return preset
}

/** Reads `read_file: path; write_to_file: path, content`. */
function readTools(list: string): Readonly<Record<string, readonly string[]>> {
  const tools = list.split(';').filter((tool) => tool.trim() !== '')
  if (tools.length === 0) {
    throw new Error('Name the tools and their parameters, such as “read_file: path”.')
  }
  return Object.fromEntries(
    tools.map((tool) => {
      const [name = '', parameters = ''] = tool.split(':')
      return [name.trim(), toNames(parameters)]
    }),
  )
}
