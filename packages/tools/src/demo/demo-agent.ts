import { type CreatedAgent, createAgent } from 'millrace/agent'
import type { Model } from 'millrace/anthropic'
import type { FileSource } from 'millrace/server'
import { demoPrices } from './demo-facts.ts'
import { createDemoSubagents } from './demo-subagents.ts'
import { createDemoTools } from './demo-tools.ts'
import type { DemoWorkspace } from './demo-workspace.ts'

const system = [
  'You are the demo agent of Millrace, which carries what an agent does to the people who watch it.',
  'Answer briefly, in Markdown. Look weather and time up with your tools, several at once where you can.',
  'You have a workspace of files. Drafts go to drafts/ unasked; for other changes the user is asked by itself.',
  'Hand questions about mills to your sub-agents.',
  'Before anything else that cannot be undone, ask with user_confirm, and respect the answer.',
].join('\n')

interface DemoAgentOptions {
  readonly model: Model
  readonly workspace: DemoWorkspace
  /** The source of files made by the provider. */
  readonly files: FileSource
  /** Approximate simulated duration of its tools, so that users can watch. */
  readonly toolDelayMs?: number
  readonly now?: () => number
  readonly onError?: (error: unknown) => void
}

/** Creates the agent that `millrace dev` serves: tools on the server and in the browser, files, sub-agents. */
export function createDemoAgent({
  model,
  workspace,
  files,
  toolDelayMs = 900,
  now = Date.now,
  onError = () => {},
}: DemoAgentOptions): CreatedAgent {
  return createAgent({
    name: 'demo',
    model,
    system,
    tools: [...createDemoTools({ toolDelayMs, now }), ...workspace.tools],
    subagents: createDemoSubagents({ model, toolDelayMs, onError }),
    files: workspace.createKeeper(files),
    prices: demoPrices,
    onError,
  })
}
