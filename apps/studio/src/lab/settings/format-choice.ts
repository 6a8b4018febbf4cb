import { presetFor, presets, toolTags } from 'millrace/segments'
import type { Format, FormatChoice } from 'millrace/segments'

/** Choice of the formats to parse. */
export interface LabFormat {
  readonly kind: FormatKind
  /** Detail of the kind: names of formats, a model, a provider or tools. */
  readonly detail: string
}

/** Label and implementation of a kind of choice. */
export interface FormatKindTraits {
  readonly label: string
  readonly choose: (detail: string) => FormatChoice
}

/** The kinds of choice, in their order in the form. */
export const formatKinds = {
  auto: {
    label: 'Automatic: all unambiguous formats',
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

/** Name of a kind of choice. */
export type FormatKind = keyof typeof formatKinds

/** Providers with different shapes of JSON calls. */
export const jsonProviders = ['openai', 'gemini', 'mistral', 'deepseek', 'grok', 'other'] as const

/** Names of all formats. */
export const presetNames: readonly string[] = Object.keys(presets)

/** Reports whether a word names a kind of choice. */
export function isFormatKind(word: string): word is FormatKind {
  return Object.hasOwn(formatKinds, word)
}

/** Converts a choice to options of the parser. Throws with a message for the user if it is invalid. */
export function toFormatChoice({ kind, detail }: LabFormat): FormatChoice {
  return formatKinds[kind].choose(detail)
}

/** Splits a list by commas; each name once. */
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

/** Parses `read_file: path; write_to_file: path, content`. */
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
