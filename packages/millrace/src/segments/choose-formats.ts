import { badRequest } from '../errors/index.ts'
import type { Format } from './format.ts'
import { auto, type PresetName, presets } from './formats/presets.ts'
import { seedJson } from './formats/json/seed-json.ts'
import { chooseStrategy, type Strategy, type StrategyChoice } from './strategy.ts'

/** Selects the formats of a parser: by formats, or by a strategy of the streaming parser design. */
export interface FormatChoice extends StrategyChoice {
  /** Formats, by name or as objects; `auto` stands for all formats that cannot be mistaken for prose. */
  readonly formats?: 'auto' | PresetName | readonly (Format | PresetName)[]
}

const byStrategy: Readonly<Record<Strategy, (provider?: string) => readonly Format[]>> = {
  xml: () => [presets['seed-xml']],
  json: (provider) => [seedJson(provider)],
  sentinel: () => [presets['seed-sentinel']],
  api_tool_call: () => [],
}

/** Returns the selected formats, each once. */
export function chooseFormats(choice: FormatChoice): readonly Format[] {
  const { formats, provider } = choice
  if (formats === undefined) return byStrategy[chooseStrategy(choice, 'xml')](provider)
  const named = formats === 'auto' ? auto : typeof formats === 'string' ? [formats] : formats
  return [
    ...new Set(named.map((format) => (typeof format === 'string' ? findPreset(format) : format))),
  ]
}

function findPreset(name: string): Format {
  const table: Readonly<Record<string, Format>> = presets
  const preset = Object.hasOwn(table, name) ? table[name] : undefined
  if (preset !== undefined) return preset
  const choices = Object.keys(presets).join(', ')
  throw badRequest(`There is no format "${name}". The formats are: ${choices}.`)
}
