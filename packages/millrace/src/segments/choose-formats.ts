import { badRequest } from '../errors/index.ts'
import type { Format } from './format.ts'
import { auto, type PresetName, presets } from './formats/presets.ts'
import { seedJson } from './formats/json/seed-json.ts'

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

/** The notations in which calls are expected. */
export const strategies = ['xml', 'json', 'sentinel', 'api_tool_call'] as const

/** One of {@link strategies}. */
export type Strategy = (typeof strategies)[number]

/** The inputs that select a strategy. */
export interface StrategyChoice {
  /** A strategy, or its older name `native`; takes precedence over the environment. */
  readonly strategy?: Strategy | 'native'
  /** The provider of the model: models of Anthropic use tags, others JSON. */
  readonly provider?: string
  /** Environment variables; default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const VARIABLES = ['MILLRACE_STREAM_PARSER', 'AUTOBYTEUS_STREAM_PARSER']

/** Returns the strategy of the option, the environment or the provider, in this order, otherwise the fallback. */
export function chooseStrategy(choice: StrategyChoice, fallback: Strategy): Strategy {
  if (choice.strategy !== undefined) return toStrategy(choice.strategy, 'The option strategy')
  const environment = choice.environment ?? processEnvironment()
  for (const variable of VARIABLES) {
    const value = environment[variable]
    if (value !== undefined && value.trim() !== '') return toStrategy(value, variable)
  }
  if (choice.provider === undefined) return fallback
  return choice.provider.trim().toLowerCase() === 'anthropic' ? 'xml' : 'json'
}

function toStrategy(value: string, source: string): Strategy {
  const name = value.trim().toLowerCase()
  const known = strategies.find(
    (strategy) => strategy === (name === 'native' ? 'api_tool_call' : name),
  )
  if (known !== undefined) return known
  const choices = strategies.join(', ')
  throw badRequest(`${source} is "${value}". Use one of ${choices}.`)
}

/** Browsers have no environment. */
function processEnvironment(): Readonly<Record<string, string | undefined>> {
  const scope: { readonly process?: { readonly env?: Record<string, string | undefined> } } =
    globalThis
  return scope.process?.env ?? {}
}
