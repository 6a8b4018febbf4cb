import type { SegmentParserOptions } from 'millrace/segments'
import type { Chunking } from './chunking.ts'
import { toFormatChoice, toNames } from './format-choice.ts'
import type { LabFormat } from './format-choice.ts'

/** All settings of a run. */
export interface LabSettings {
  readonly text: string
  readonly format: LabFormat
  readonly chunking: Chunking
  readonly switches: LabSwitches
  /** Names of the known tools, separated by commas; empty for any. */
  readonly knownTools: string
}

/** Options with two values; the first is the default of the parser. */
export const switches = {
  fences: {
    label: 'Code fences',
    hint: 'Whether a call inside ``` is only an example',
    values: ['opaque', 'transparent'],
  },
  inline: {
    label: 'Inline code',
    hint: 'Whether a call between backticks is only an example',
    values: ['opaque', 'transparent'],
  },
  startIn: {
    label: 'Starts in',
    hint: 'Reasoning, if the prompt contained the opening tag',
    values: ['text', 'reasoning'],
  },
  toolInReasoning: {
    label: 'Call in reasoning',
    hint: 'Whether it ends the reasoning or is ignored',
    values: ['interrupt', 'ignore'],
  },
} as const

/** Name of a switch. */
export type SwitchName = keyof typeof switches

/** Values of the switches. */
export type LabSwitches = {
  readonly [Name in SwitchName]: (typeof switches)[Name]['values'][number]
}

/** Names of the switches, in their order in the form. */
export const switchNames = Object.keys(switches) as readonly SwitchName[]

/** Defaults of the parser. */
export const defaultSwitches: LabSwitches = {
  fences: 'opaque',
  inline: 'opaque',
  startIn: 'text',
  toolInReasoning: 'interrupt',
}

/** Returns the switches with one of them changed; an unknown value changes nothing. */
export function withSwitch(current: LabSwitches, name: SwitchName, value: string): LabSwitches {
  const known = switches[name].values.find((each) => each === value)
  return known === undefined ? current : { ...current, [name]: known }
}

/** The longest text of the lab. */
export const MAX_TEXT_LENGTH = 200_000

/** Converts settings to options of the parser. Throws with a message for the user if they are invalid. */
export function toParserOptions({
  format,
  switches: chosen,
  knownTools,
}: LabSettings): SegmentParserOptions {
  const names = toNames(knownTools)
  return { ...toFormatChoice(format), ...chosen, ...(names.length > 0 && { knownTools: names }) }
}

/** Place in a run: an offset in the text, its end, or the step with the longest held text. */
export type LabPlace = number | 'end' | 'longest-hold'
