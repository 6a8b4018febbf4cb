import { badRequest, type MillraceError } from '../../errors/index.ts'
import {
  auto,
  type Format,
  presetFor,
  type PresetName,
  presets,
  seedJson,
} from '../../segments/index.ts'
import { hermesNotation, notations } from './notations/notations.ts'
import type { ToolNotation } from './tool-notation.ts'

/** The notation of calls in text: a name of the streaming parser design, the name of a preset, or a format. */
export type ToolSyntax = 'xml' | 'json' | 'sentinel' | PresetName | Format

/** Formats, by name or as objects. */
export type FormatList = 'auto' | PresetName | readonly (Format | PresetName)[]

/** The options that select how calls are written and read. */
export interface SyntaxChoice {
  /** The notation that the model is asked to use; default: that of its family's formats. */
  readonly syntax?: ToolSyntax
  /**
   * Formats that are read in addition to the syntax; default: reasoning in `<think>`. Without a syntax: all
   * formats that are read; default: those of the model id.
   */
  readonly formats?: FormatList
  /** The notation of calls and results; default: that of the syntax, or of the first format with a notation. */
  readonly notation?: ToolNotation
}

interface ChosenSyntax {
  readonly notation: ToolNotation
  readonly formats: readonly Format[]
  /** The formats that are read if no tool is offered. */
  readonly otherFormats: readonly Format[]
}

/** The formats of each name; JSON at the start of a line is shown while it is written. */
const named: Readonly<Record<string, readonly Format[]>> = {
  xml: [presets['seed-xml']],
  json: [presets.json, seedJson()],
  sentinel: [presets['seed-sentinel']],
}

/** Chooses the formats and the notation of calls for a model. */
export function chooseSyntax(choice: SyntaxChoice, modelId: string): ChosenSyntax {
  const { syntax, formats, notation } = choice
  if (syntax === undefined)
    return chooseByFormats(toFormats(formats ?? presetFor(modelId)), notation)
  const own = formatsOf(syntax)
  const written = notation ?? notations.get(own.at(-1)?.name ?? '')
  if (written === undefined) throw noNotation(own.at(-1)?.name ?? '')
  const otherFormats = toFormats(formats ?? ['think'])
  return { notation: written, formats: [...otherFormats, ...own], otherFormats }
}

/** A model must be read in the notation of its prompt, so formats without a notation get the default one. */
function chooseByFormats(
  formats: readonly Format[],
  given: ToolNotation | undefined,
): ChosenSyntax {
  const found = formats.map(({ name }) => notations.get(name)).find((one) => one !== undefined)
  const notation = given ?? found
  if (notation !== undefined) return { notation, formats, otherFormats: formats }
  const all = [...formats, presets.hermes]
  return { notation: hermesNotation, formats: all, otherFormats: all }
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
  throw badRequest(`There is no syntax "${name}". Use one of ${choices}.`)
}

function noNotation(name: string): MillraceError {
  const choices = [...notations.keys()].join(', ')
  return badRequest(
    `There is no notation for calls in the format "${name}"; give \`notation\`, or use one of the formats ${choices}.`,
  )
}
