import { isChunkingKind, traitsOf } from './chunking.ts'
import type { Chunking } from './chunking.ts'
import { examples, findExample } from './examples.ts'
import type { Example } from './examples.ts'
import { isFormatKind } from './format-choice.ts'
import type { LabFormat } from './format-choice.ts'
import { MAX_TEXT_LENGTH, defaultSwitches, switchNames, withSwitch } from './lab-settings.ts'
import type { LabPlace, LabSettings } from './lab-settings.ts'

/** The state of the lab that a link contains. */
export interface LabView {
  readonly settings: LabSettings
  readonly place: LabPlace
}

/** A link to a view, and whether it lacks the text. */
export interface LabLink {
  readonly hash: string
  readonly isWithoutText: boolean
}

/** The length of an encoded text that mail programs accept. */
const MAX_ENCODED_LENGTH = 6_000

const defaultChunking: Chunking = { kind: 'tokens', number: 1 }

/** Returns the settings of an example. */
export function toSettings({ text, format, switches, knownTools, chunking }: Example): LabSettings {
  return {
    text,
    format,
    chunking: chunking ?? defaultChunking,
    switches: { ...defaultSwitches, ...switches },
    knownTools: knownTools ?? '',
  }
}

/** Returns the example with a text. */
export function exampleOf(text: string): Example | undefined {
  return examples.find((example) => example.text === text)
}

/** Encodes a view as the hash of an address. */
export function encodeLabAddress({ settings, place }: LabView): LabLink {
  const { text, format, chunking, switches, knownTools } = settings
  const parameters = new URLSearchParams()
  const example = exampleOf(text)
  const isWithoutText =
    example === undefined && encodeURIComponent(text).length > MAX_ENCODED_LENGTH
  if (example !== undefined) parameters.set('example', example.id)
  else if (!isWithoutText) parameters.set('text', text)
  parameters.set('format', toPair(format.kind, format.detail))
  parameters.set('chunks', toPair(chunking.kind, hasNumber(chunking) ? chunking.number : ''))
  const defaults = toDefaults(example)
  for (const name of switchNames) {
    if (switches[name] !== defaults.switches[name]) parameters.set(name, switches[name])
  }
  if (knownTools !== defaults.knownTools) parameters.set('tools', knownTools)
  if (place !== 'longest-hold') parameters.set('at', String(place))
  return { hash: `#lab?${parameters.toString()}`, isWithoutText }
}

/**
 * Decodes the hash of an address. Missing or invalid values are taken from its example, otherwise from `current`;
 * missing switches and tools have their defaults.
 */
export function decodeLabAddress(hash: string, current: LabView): LabView {
  const parameters = new URLSearchParams(hash.split('?')[1] ?? '')
  const example = findExample(parameters.get('example') ?? '')
  const base = example === undefined ? current.settings : toSettings(example)
  const defaults = toDefaults(example)
  let { switches } = defaults
  for (const name of switchNames) {
    switches = withSwitch(switches, name, parameters.get(name) ?? defaults.switches[name])
  }
  const settings: LabSettings = {
    text: (parameters.get('text') ?? base.text).slice(0, MAX_TEXT_LENGTH),
    format: readFormat(parameters.get('format')) ?? base.format,
    chunking: readChunking(parameters.get('chunks')) ?? base.chunking,
    switches,
    knownTools: parameters.get('tools') ?? defaults.knownTools,
  }
  return { settings, place: readPlace(parameters.get('at')) }
}

/** Returns the defaults that an address leaves out. */
function toDefaults(example: Example | undefined): Pick<LabSettings, 'switches' | 'knownTools'> {
  return example === undefined ? { switches: defaultSwitches, knownTools: '' } : toSettings(example)
}

/** Reports whether a hash contains a view of the lab. */
export function hasView(hash: string): boolean {
  return hash.startsWith('#lab?')
}

function hasNumber({ kind }: Chunking): boolean {
  return traitsOf(kind).number !== undefined
}

function toPair(kind: string, detail: string | number): string {
  return detail === '' ? kind : `${kind}:${detail}`
}

function readPair(pair: string | null): readonly [kind: string, detail: string] {
  const colon = pair?.indexOf(':') ?? -1
  if (pair === null || colon === -1) return [pair ?? '', '']
  return [pair.slice(0, colon), pair.slice(colon + 1)]
}

function readFormat(pair: string | null): LabFormat | undefined {
  const [kind, detail] = readPair(pair)
  return isFormatKind(kind) ? { kind, detail } : undefined
}

function readChunking(pair: string | null): Chunking | undefined {
  const [kind, detail] = readPair(pair)
  if (!isChunkingKind(kind)) return undefined
  return { kind, number: Number.parseInt(detail, 10) || 0 }
}

function readPlace(at: string | null): LabPlace {
  const fed = Number.parseInt(at ?? '', 10)
  if (Number.isSafeInteger(fed) && fed >= 0) return fed
  return at === 'end' ? 'end' : 'longest-hold'
}
