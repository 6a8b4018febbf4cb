import { z } from 'zod'
import { type Agent, createAgent } from '../agent/index.ts'
import type { Model } from '../events/index.ts'
import { defineFrontendTool, defineTool } from '../tools/index.ts'
import { describeTime, describeWeather } from './demo-facts.ts'

const system = [
  'You are the demo agent of Millrace, which carries what an agent does to the people who watch it.',
  'Answer briefly, in Markdown. Look weather and time up with your tools, several at once where you can.',
  'Before anything that cannot be undone, ask with user_confirm, and respect the answer.',
].join('\n')

const place = z.object({
  city: z.string().min(1).max(80).describe('The name of a city, such as Lisbon'),
})

/** What the demo agent is made of. */
export interface DemoAgentOptions {
  readonly model: Model
  /** How long the slower of its tools pretends to work, so that people can watch. */
  readonly toolDelayMs?: number
  readonly now?: () => number
  readonly onError?: (error: unknown) => void
}

/** Creates the agent that `millrace dev` serves: two tools on the server, one in the browser. */
export function createDemoAgent({
  model,
  toolDelayMs = 900,
  now = Date.now,
  onError = () => {},
}: DemoAgentOptions): Agent {
  const getWeather = defineTool({
    name: 'get_weather',
    description: 'The weather in a city right now (made up, but always the same for a city).',
    input: place,
    idempotent: true,
    run: async ({ city }, { signal }) => {
      await pretendToWork(toolDelayMs, signal)
      return describeWeather(city)
    },
  })
  const getTime = defineTool({
    name: 'get_time',
    description: 'The local time in a city right now.',
    input: place,
    idempotent: true,
    run: async ({ city }, { signal }) => {
      await pretendToWork(toolDelayMs / 2, signal)
      return describeTime(city, now())
    },
  })
  const userConfirm = defineFrontendTool({
    name: 'user_confirm',
    description: 'Asks the user a question that is answered with yes or no.',
    input: z.object({ question: z.string().describe('What the user is asked') }),
  })
  const tools = [getWeather, getTime, userConfirm]
  return createAgent({ name: 'demo', model, system, tools, onError })
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
