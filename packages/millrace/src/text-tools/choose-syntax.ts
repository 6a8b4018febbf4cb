import { MillraceError } from '../errors/index.ts'
import {
  auto,
  type Format,
  presetFor,
  type PresetName,
  presets,
  seedJson,
} from '../segments/index.ts'
import { hermesNotation } from './notations/hermes-notation.ts'
import { notations } from './notations/notations.ts'
import type { ToolNotation } from './tool-notation.ts'

/** How calls stand in text: by the names of the streaming parser design, by that of a preset, or as a format. */
export type ToolSyntax = 'xml' | 'json' | 'sentinel' | PresetName | Format

/** Formats, by name or as they are. */
export type FormatList = 'auto' | PresetName | readonly (Format | PresetName)[]

/** What decides how calls are written and read. */
export interface SyntaxChoice {
  /** How the model is to write calls; default: as the formats of its family. */
  readonly syntax?: ToolSyntax
  /**
   * What is read besides the syntax, by default reasoning in `<think>`. Without a syntax: all that is read, by
   * default what a model of this id writes.
   */
  readonly formats?: FormatList
  /** How calls and results are written; default: as the syntax, or the first of the formats that can be written. */
  readonly notation?: ToolNotation
}

/** How calls are written, and all that is read. */
export interface ChosenSyntax {
  readonly notation: ToolNotation
  readonly formats: readonly Format[]
  /** What is read where no tool is offered. */
  readonly besides: readonly Format[]
}

/** The formats that each name stands for; JSON that begins a line is shown while it is written. */
const named: Readonly<Record<string, readonly Format[]>> = {
  xml: [presets['seed-xml']],
  json: [presets.json, seedJson()],
  sentinel: [presets['seed-sentinel']],
}

/** Chooses a notation, and formats that can read it. */
export function chooseSyntax(choice: SyntaxChoice, modelId: string): ChosenSyntax {
  const { syntax, formats, notation } = choice
  if (syntax === undefined)
    return chooseByFormats(toFormats(formats ?? presetFor(modelId)), notation)
  const own = formatsOf(syntax)
  const written = notation ?? notations.get(own.at(-1)?.name ?? '')
  if (written === undefined) throw noNotation(own.at(-1)?.name ?? '')
  const besides = toFormats(formats ?? ['think'])
  return { notation: written, formats: [...besides, ...own], besides }
}

/** A model that is told of a notation must be read in it, so one that no format has a notation for gets the usual one. */
function chooseByFormats(
  formats: readonly Format[],
  given: ToolNotation | undefined,
): ChosenSyntax {
  const found = formats.map(({ name }) => notations.get(name)).find((one) => one !== undefined)
  const notation = given ?? found
  if (notation !== undefined) return { notation, formats, besides: formats }
  const all = [...formats, presets.hermes]
  return { notation: hermesNotation, formats: all, besides: all }
}

function formatsOf(syntax: ToolSyntax): readonly Format[] {
  if (typeof syntax !== 'string') return [syntax]
  return (Object.hasOwn(named, syntax) && named[syntax]) || [findPreset(syntax)]
}

function toFormats(list: FormatList): readonly Format[] {
  const all = list === 'auto' ? auto : typeof list === 'string' ? [list] : list
  return all.map((format) => (typeof format === 'string' ? findPreset(format) : format))
}

function findPreset(name: string): Format {
  const table: Readonly<Record<string, Format>> = presets
  const preset = Object.hasOwn(table, name) ? table[name] : undefined
  if (preset !== undefined) return preset
  const choices = [...Object.keys(named), ...Object.keys(presets)].join(', ')
  throw new MillraceError('bad_request', `There is no syntax "${name}". Use one of ${choices}.`)
}

function noNotation(name: string): MillraceError {
  const choices = [...notations.keys()].join(', ')
  return new MillraceError(
    'bad_request',
    `Nobody knows how to write calls in the format "${name}"; give \`notation\`, or use one of the formats ${choices}.`,
  )
}
