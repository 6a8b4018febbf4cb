import { z } from 'zod'
import { defineFrontendTool, defineTool, type Tool } from 'millrace/agent'
import { drawTemperatures } from './demo-chart.ts'
import { describeTime, describeWeather, paceOf, temperaturesOf } from './demo-facts.ts'
import { pretendToWork } from './pretend-to-work.ts'

/** Options of the demo tools. */
export interface DemoToolsOptions {
  /** Approximate time that they pretend to work, so that people can watch. */
  readonly toolDelayMs: number
  readonly now: () => number
}

const place = z.object({
  city: z.string().min(1).max(80).describe('The name of a city, such as Lisbon'),
})

/** Asks the person at the screen a question. */
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
