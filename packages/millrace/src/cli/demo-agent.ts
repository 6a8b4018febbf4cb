import { type Agent, createAgent } from '../agent/index.ts'
import type { Model } from '../events/index.ts'
import { createDemoTools } from './demo-tools.ts'

const system = [
  'You are the demo agent of Millrace, which carries what an agent does to the people who watch it.',
  'Answer briefly, in Markdown. Look weather and time up with your tools, several at once where you can.',
  'Before anything that cannot be undone, ask with user_confirm, and respect the answer.',
].join('\n')

/** What the demo agent is made of. */
export interface DemoAgentOptions {
  readonly model: Model
  /** About how long its tools pretend to work, so that people can watch. */
  readonly toolDelayMs?: number
  readonly now?: () => number
  readonly onError?: (error: unknown) => void
}

/** Creates the agent that `millrace dev` serves, with tools on the server and one in the browser. */
export function createDemoAgent({
  model,
  toolDelayMs = 900,
  now = Date.now,
  onError = () => {},
}: DemoAgentOptions): Agent {
  const tools = createDemoTools({ toolDelayMs, now })
  return createAgent({ name: 'demo', model, system, tools, onError })
}
