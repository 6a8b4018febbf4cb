import { z } from 'zod'
import { defineFrontendTool, defineTool, type Tool } from '../tools/index.ts'
import { drawTemperatures } from './demo-chart.ts'
import { describeTime, describeWeather, paceOf, reportOf, temperaturesOf } from './demo-facts.ts'

/** What the tools of the demo agent depend on. */
export interface DemoToolsOptions {
  /** About how long they pretend to work, so that people can watch. */
  readonly toolDelayMs: number
  readonly now: () => number
}

const place = z.object({
  city: z.string().min(1).max(80).describe('The name of a city, such as Lisbon'),
})

/** The tools that the demos call; none of them touches anything. */
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
    ...createWritingTools(work),
    defineFrontendTool({
      name: 'user_confirm',
      description: 'Asks the user a question that is answered with yes or no.',
      input: z.object({ question: z.string().describe('What the user is asked') }),
    }),
  ]
}

/** Tools that would change something, if this were no demo. */
function createWritingTools(work: (part: number, signal: AbortSignal) => Promise<void>): Tool[] {
  return [
    defineTool({
      name: 'write_file',
      description: 'Writes a file. In this demo nothing is written to the disk.',
      input: z.object({
        path: z.string().min(1).max(400).describe('Where the file goes'),
        content: z.string().describe('All that is in it'),
      }),
      idempotent: true,
      run: async ({ content }, { signal }) => {
        await work(0.5, signal)
        const lines = content.split('\n').length - 1
        return `${lines} lines, ${Buffer.byteLength(content)} bytes (a demo: nothing was written to the disk).`
      },
    }),
    defineTool({
      name: 'publish_report',
      description: 'Publishes a report and tells its readers. In this demo it only pretends to.',
      input: z.object({
        title: z.string().min(1).max(200),
        recipients: z.array(z.string()).max(50).describe('Who is told by mail'),
        pages: z.number().int().positive().optional(),
      }),
      run: async ({ title, recipients }, { signal }) => {
        await work(1.5, signal)
        return `“${title}” would have gone to ${recipients.length} readers.`
      },
    }),
    defineTool({
      name: 'spawn_subagent',
      description: 'Hands a task to another agent. In this demo its answer was written beforehand.',
      input: z.object({
        name: z.string().min(1).max(80).describe('Who does it'),
        task: z.string().min(1).max(2000).describe('What is to be done'),
      }),
      run: async ({ name }, { signal }) => {
        await work(1 + paceOf(name), signal)
        return reportOf(name)
      },
    }),
  ]
}

function pretendToWork(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, delayMs)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
