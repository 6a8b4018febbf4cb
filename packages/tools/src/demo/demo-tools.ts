import { z } from 'zod'
import { defineFrontendTool, defineTool, type Tool } from 'millrace/agent'
import {
  describeTime,
  describeWeather,
  paceOf,
  pretendToWork,
  temperaturesOf,
} from './demo-facts.ts'
import { encodePng } from './encode-png.ts'

const width = 640
const height = 240
const margin = 24
const hours = 24

/** Background and its grain, two greys for lines, then from cold to warm. */
const palette = [
  [252, 251, 247],
  [243, 241, 234],
  [228, 231, 235],
  [120, 130, 140],
  [44, 98, 190],
  [54, 141, 205],
  [64, 176, 190],
  [112, 190, 130],
  [190, 200, 90],
  [236, 190, 70],
  [236, 140, 60],
  [214, 84, 60],
] as const

const [paper, grain, gridLine, axis, firstShade] = [0, 1, 2, 3, 4]

const shades = palette.length - firstShade

/** Degrees at the bottom and at the top. */
const [lowest, highest] = [-10, 40]

interface DemoToolsOptions {
  /** Approximate simulated duration, so that users can watch. */
  readonly toolDelayMs: number
  readonly now: () => number
}

const place = z.object({
  city: z.string().min(1).max(80).describe('The name of a city, such as Lisbon'),
})

/** The browser tool with which the demo asks a question. */
export const userConfirm: Tool = defineFrontendTool({
  name: 'user_confirm',
  description: 'Asks the user a question that is answered with yes or no.',
  input: z.object({ question: z.string().describe('What the user is asked') }),
})

/** Creates tools that look up facts, and one that asks the user; none of them changes anything. */
export function createDemoTools({ toolDelayMs, now }: DemoToolsOptions): readonly Tool[] {
  const work = (part: number, signal: AbortSignal) => pretendToWork(toolDelayMs * part, signal)
  return [
    defineTool({
      name: 'get_weather',
      description: 'The weather in a city right now (made up, but always the same for a city).',
      input: place,
      idempotent: true,
      run: async ({ city }, { signal }) => {
        await work(paceOf(city), signal)
        return describeWeather(city)
      },
    }),
    defineTool({
      name: 'get_time',
      description: 'The local time in a city right now.',
      input: place,
      idempotent: true,
      run: async ({ city }, { signal }) => {
        await work(paceOf(city) / 2, signal)
        return describeTime(city, now())
      },
    }),
    defineTool({
      name: 'draw_chart',
      description: 'Draws the temperatures of a day in a city, hour by hour, as a picture.',
      input: place,
      idempotent: true,
      run: async ({ city }, { signal }) => {
        await work(1, signal)
        const temperatures = temperaturesOf(city)
        const [low, high] = [Math.min(...temperatures), Math.max(...temperatures)]
        const text = `${city}, hour by hour: from ${low} °C at night to ${high} °C in the afternoon.`
        const data = drawTemperatures(temperatures).toString('base64')
        return { text, images: [{ data, mediaType: 'image/png' }] }
      },
    }),
    userConfirm,
  ]
}

/** Draws the temperatures of a day as bars, one an hour, as a PNG. */
function drawTemperatures(temperatures: readonly number[]): Buffer {
  const pixels = drawPaper()
  const fill = (left: number, top: number, right: number, bottom: number, colour: number): void => {
    for (let row = top; row < bottom; row++) {
      pixels.fill(colour, row * width + left, row * width + right)
    }
  }
  for (let degrees = lowest; degrees <= highest; degrees += 10) {
    const row = rowOf(degrees)
    fill(margin, row, width - margin, row + 1, degrees === 0 ? axis : gridLine)
  }
  const slot = (width - 2 * margin) / hours
  temperatures.forEach((degrees, hour) => {
    const left = Math.round(margin + hour * slot + 3)
    const right = Math.round(margin + (hour + 1) * slot - 3)
    const [top, bottom] = [rowOf(degrees), rowOf(0)].toSorted((one, other) => one - other)
    fill(left, top ?? 0, right, Math.max(bottom ?? 0, (top ?? 0) + 1), shadeOf(degrees))
  })
  return encodePng({ width, height, palette, pixels })
}

/** Draws a background with one darker pixel in sixteen, always the same ones. */
function drawPaper(): Uint8Array {
  let chance = 1
  return new Uint8Array(width * height).map(() => {
    chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0
    return chance >>> 28 === 0 ? grain : paper
  })
}

function rowOf(degrees: number): number {
  const share = (degrees - lowest) / (highest - lowest)
  return Math.round(height - margin - share * (height - 2 * margin))
}

function shadeOf(degrees: number): number {
  const share = (degrees - lowest) / (highest - lowest)
  return firstShade + Math.min(shades - 1, Math.max(0, Math.floor(share * shades)))
}
