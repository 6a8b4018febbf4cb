import { readFileSync } from 'node:fs'
import { createTranscript } from 'millrace'
import type { Transcript } from 'millrace'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AGENT_COLORS, createAgentColors, styleOf, toAgentStyles } from './agent-colors.ts'
import { createFrameReducer } from 'millrace/testing'

const labels = (names: readonly (string | undefined)[]) =>
  [...toAgentStyles(names.map((name, id) => ({ id: `${id}`, name }))).values()].map(
    ({ label }) => label,
  )

test('agents are labeled by name, and repeated names are numbered', () => {
  expect(labels(['demo', 'surveyor', 'surveyor', 'surveyor'])).toEqual([
    'demo',
    'surveyor',
    'surveyor 2',
    'surveyor 3',
  ])
  expect(labels([undefined, undefined, 'surveyor 2', 'surveyor', 'surveyor'])).toEqual([
    'Root',
    'Sub-agent 1',
    'surveyor 2',
    'surveyor',
    'surveyor 3',
  ])
})

test('no two agents have the same label, and later agents do not change earlier styles', () => {
  const name = fc.constantFrom('a', 'a 2', 'b', 'Root', undefined)
  fc.assert(
    fc.property(fc.array(name, { maxLength: 30 }), fc.nat(30), (names, length) => {
      const all = labels(names)
      expect(new Set(all).size).toBe(names.length)
      expect(labels(names.slice(0, length))).toEqual(all.slice(0, length))
    }),
  )
})

test('the root has the neutral color, and sub-agents have the others in order', () => {
  const agents = Array.from({ length: AGENT_COLORS + 2 }, (_, id) => ({ id: `${id}`, name: 'x' }))
  const colors = [...toAgentStyles(agents).values()].map(({ color }) => color)
  expect(colors).toEqual([0, 1, 2, 3, 4, 5, 6, 1])
  expect(styleOf(new Map(), 'f00dcafe-1')).toEqual({ label: 'Agent f00dcafe', color: 0 })
})

test('styles are the same object while agents write, and in past moments', () => {
  const reduce = createFrameReducer()
  const take = (transcript: Transcript, type: string, agent: string, delta: string) =>
    reduce(transcript, { type, agent, final: true, delta })
  const colors = createAgentColors()
  const empty = createTranscript()
  expect(colors.read(empty).size).toBe(0)
  const one = take(empty, 'meta_init', 'r', '{"name":"demo"}')
  const first = colors.read(one)
  expect(colors.read(take(one, 'text', 'r', 'Hi'))).toBe(first)
  const two = take(one, 'text', 's', 'Who am I?')
  const second = colors.read(two)
  expect([...second.values()].map(({ label }) => label)).toEqual(['demo', 'Sub-agent 1'])
  const three = take(take(two, 'text', 't', ''), 'meta_init', 's', '{"name":"scout"}')
  const third = colors.read(three)
  expect(styleOf(third, 's')).toEqual({ label: 'scout', color: 1 })
  expect(colors.read(one)).toBe(third)
  // It had no name yet in these moments.
  expect(colors.read(two)).toBe(third)
  expect(colors.read(take(two, 'text', 't', ''))).toBe(third)
  expect(colors.read(three)).toBe(third)
  const other = take(empty, 'meta_init', 'q', '{"name":"demo"}')
  expect([...colors.read(other).keys()]).toEqual(['q'])
})

/** Reads colors from a style sheet, those of the dark theme second. */
function colorsIn(file: string, pattern: RegExp): readonly [string[], string[]] {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  const dark = text.indexOf('prefers-color-scheme: dark')
  const read = (part: string) => [...part.matchAll(pattern)].map(([, color = '']) => color)
  return [read(text.slice(0, dark)), read(text.slice(dark))]
}

const channels = (color: string): number[] =>
  [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))

function contrastOf(one: string, other: string): number {
  const light = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
  }
  const [low = 0, high = 0] = [light(one), light(other)].toSorted((a, b) => a - b)
  return high / low
}

/** Returns the distance of two colors in OKLab; black and white have the distance 1. */
function distanceOf(one: string, other: string): number {
  const toLab = (color: string): number[] => {
    const [red = 0, green = 0, blue = 0] = channels(color)
    const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return [
      0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
      1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
      0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
    ]
  }
  const from = toLab(one)
  return Math.hypot(...toLab(other).map((part, index) => part - (from[index] ?? 0)))
}

test.each([
  ['light', 0],
  ['dark', 1],
] as const)(
  'colors of agents on a %s page are visible, distinct and not those of bars',
  (_, page) => {
    const agents = colorsIn('styles/agent-colors.css', /--agent-\d: (#\w{6})/g)[page]
    const kinds = colorsIn('timeline/timeline.css', /--tl-\w+: (#\w{6})/g)[page]
    const grounds = colorsIn(
      'styles/base.css',
      /--(?:paper|surface|sunken|accent-soft): (#\w{6})/g,
    )[page]
    expect([agents.length, kinds.length, grounds.length]).toEqual([AGENT_COLORS, 6, 4])
    for (const [index, agent] of agents.entries()) {
      for (const ground of grounds) expect(contrastOf(agent, ground)).toBeGreaterThan(3)
      for (const other of [...kinds, ...agents.slice(index + 1)]) {
        expect(distanceOf(agent, other)).toBeGreaterThan(0.09)
      }
    }
  },
)
