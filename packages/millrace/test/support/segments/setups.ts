import type fc from 'fast-check'
import { auto, presets } from '../../../src/segments/index.ts'
import { defaultLimits, type SegmentLimits } from '../../../src/segments/limits.ts'
import type { PresetName, SegmentParserOptions } from '../../../src/segments/index.ts'
import { blockOf } from './calls.ts'
import { toMarks } from './format-marks.ts'
import { type Notation, notations } from './notations.ts'
import { textOf } from './texts.ts'

/** A setup of a parser, and its texts. */
export interface Setup {
  readonly name: string
  readonly options: SegmentParserOptions
  readonly text: fc.Arbitrary<string>
}

/** Limits that short texts reach. */
export const tightLimits: SegmentLimits = {
  maxOpener: 24,
  maxHeader: 32,
  maxProbe: 32,
  maxSpace: 3,
  maxHeld: 40,
  maxMetadata: 30,
  maxDepth: 3,
  maxCalls: 3,
}

/** The parts of texts. */
interface Material {
  readonly notations: readonly Notation[]
  readonly marks: readonly string[]
}

const allNames = Object.keys(presets) as PresetName[]
const autoNames = allNames.filter((name) => auto.includes(presets[name]))

function setup(
  name: string,
  options: SegmentParserOptions,
  { notations: own, marks }: Material,
): Setup {
  const samples = own.flatMap((notation) =>
    cutBlock(notation.write('write_file', { path: '/a', content: 'x' })),
  )
  const fragments = [...new Set([...samples, ...marks])]
  return { name, options, text: textOf(fragments, blockOf(own)) }
}

/** Cuts a block at the possible starts and ends of a marker. */
function cutBlock(block: string): string[] {
  return [block, ...block.split(/(?=[<[{,"\n])|(?<=[>\]}:"\n])/)].filter((part) => part !== '')
}

function materialOf(names: readonly PresetName[]): Material {
  return {
    notations: notations.filter(({ options: { formats = [] } }) =>
      names.some((name) => formats.includes(name)),
    ),
    marks: names.flatMap((name) => toMarks(name, presets[name])),
  }
}

function presetSetup(names: readonly PresetName[], more: SegmentParserOptions = {}): Setup {
  const name = [names.join('+'), ...Object.entries(more).flat()].join(' ')
  return setup(name, { formats: names, ...more }, materialOf(names))
}

function strategySetup(options: SegmentParserOptions): Setup {
  const { strategy, provider } = options
  const own = notations.filter(
    (notation) => notation.options.strategy === strategy && notation.options.provider === provider,
  )
  const marks =
    strategy === 'json'
      ? ['{"tool": ', '{"name": "ask", "args": ', '{"tool_calls": [', '[{"function":']
      : strategy === 'xml'
        ? toMarks('seed-xml', presets['seed-xml'])
        : []
  return setup([strategy, provider].join(' '), options, { notations: own, marks })
}

const taggedTools = notations.filter(({ name }) => name === 'tool tags')

/** The strategies. */
const strategySetups = [
  strategySetup({ strategy: 'xml' }),
  strategySetup({ strategy: 'sentinel' }),
  strategySetup({ strategy: 'json' }),
  strategySetup({ strategy: 'json', provider: 'openai' }),
  strategySetup({ strategy: 'json', provider: 'gemini' }),
  strategySetup({ strategy: 'api_tool_call' }),
]

/** Every preset alone, the strategies, and combined formats. */
export const setups: readonly Setup[] = [
  ...allNames.map((name) => presetSetup([name])),
  ...strategySetups,
  ...taggedTools.map((notation) =>
    setup('tool tags', notation.options, { notations: [notation], marks: notation.marks }),
  ),
  setup('auto', { formats: 'auto' }, materialOf(autoNames)),
  setup(
    'auto in code',
    { formats: 'auto', fences: 'transparent', inline: 'transparent' },
    materialOf(autoNames),
  ),
  presetSetup(['think', 'hermes']),
  presetSetup(['think', 'hermes'], { startIn: 'reasoning' }),
  presetSetup(['think', 'anthropic'], { toolInReasoning: 'ignore' }),
  presetSetup(['think', 'json'], { knownTools: ['ask'] }),
  presetSetup(['think', 'seed-xml'], { fences: 'transparent' }),
  presetSetup(['think', 'bolt'], { inline: 'transparent' }),
  presetSetup(['think', 'apply-patch']),
]

/** Setups in which all content is unchanged: nothing is decoded, trimmed or repaired. */
export const verbatimSetups: readonly Setup[] = [
  presetSetup(['think']),
  presetSetup(['apply-patch']),
  presetSetup(['think', 'seed-sentinel']),
  ...strategySetups.map(({ name, options, text }) => ({
    name,
    options: { ...options, projections: {} },
    text,
  })),
]

/** The longest markers, and white space in an end tag. */
const MARKS = 512

/** The maximum held length of a parser: a call before its name, in a wrapper, with the key at its limit. */
export function mostHeldWith(limits: Partial<SegmentLimits> = {}): number {
  const { maxHeld, maxHeader, maxOpener, maxProbe, maxSpace } = { ...defaultLimits, ...limits }
  return maxHeld + 2 * maxHeader + 2 * maxOpener + maxProbe + 4 * maxSpace + MARKS
}
