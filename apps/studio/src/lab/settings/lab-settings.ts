import type { SegmentParserOptions } from 'millrace/segments'
import type { Chunking } from './chunking.ts'
import { toFormatChoice, toNames } from './format-choice.ts'
import type { LabFormat } from './format-choice.ts'

/** Everything that decides what a run shows. */
export interface LabSettings {
  readonly text: string
  readonly format: LabFormat
  readonly chunking: Chunking
  readonly switches: LabSwitches
  /** The tools that exist, with commas; any may exist if empty. */
  readonly knownTools: string
}

/** What can be one or the other; the first is the parser's own choice. */
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
    hint: 'Reasoning, if the prompt already held the opening tag',
    values: ['text', 'reasoning'],
  },
  toolInReasoning: {
    label: 'Call in reasoning',
    hint: 'Whether it ends the reasoning or is only rehearsed',
    values: ['interrupt', 'ignore'],
  },
} as const

/** The name of a switch. */
export type SwitchName = keyof typeof switches

/** How the switches stand. */
export type LabSwitches = {
  readonly [Name in SwitchName]: (typeof switches)[Name]['values'][number]
}

/** The names of the switches, in the order in which they are offered. */
export const switchNames = Object.keys(switches) as readonly SwitchName[]

/** The switches as the parser has them if it is told nothing. */
export const defaultSwitches: LabSwitches = {
  fences: 'opaque',
  inline: 'opaque',
  startIn: 'text',
  toolInReasoning: 'interrupt',
}

/** The switches with one of them changed; a value that it does not have changes nothing. */
export function withSwitch(current: LabSwitches, name: SwitchName, value: string): LabSwitches {
  const known = switches[name].values.find((each) => each === value)
  return known === undefined ? current : { ...current, [name]: known }
}

/** The longest text that the lab takes. */
export const MAX_TEXT_LENGTH = 200_000

/** What the parser is told; throws with words for people if the settings cannot be. */
export function toParserOptions({
  format,
  switches: chosen,
  knownTools,
}: LabSettings): SegmentParserOptions {
  const names = toNames(knownTools)
  return { ...toFormatChoice(format), ...chosen, ...(names.length > 0 && { knownTools: names }) }
}

/** Where in a run someone looks: at a place in the text, at its end, or where most is held back. */
export type LabPlace = number | 'end' | 'longest-hold'
