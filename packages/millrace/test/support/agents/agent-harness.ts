import { type AgentOptions, createAgent } from '../../../src/agent/create-agent.ts'
import type { Checkpoint, RunInput, Subagent } from '../../../src/agent/agent.ts'
import { defineFrontendTool, defineTool } from '../../../src/tools/define-tool.ts'
import type { AgentEvent, ContentBlock, ToolResult } from '../../../src/events/index.ts'
import { createScriptedModel, type ScriptedReply } from './scripted-model.ts'

/** A schema that accepts any arguments. */
export const anything = { type: 'object' } as const

/** A tool of the browser. */
export const confirm = defineFrontendTool({ name: 'confirm', description: '', input: anything })

/** A block of text. */
export function text(words: string): ContentBlock {
  return { type: 'text', text: words }
}

/** A block that calls a tool. */
export function call(id: string, name: string, input = {}): ContentBlock {
  return { type: 'tool_use', id, name, input }
}

/** A tool of the server that accepts any arguments. */
export function tool(name: string, run: (input: object) => unknown = () => `${name} ran`) {
  return defineTool({ name, description: '', input: anything, run })
}

/** An agent on a scripted model, with numbered ids and without real delays. */
export function setUpAgent(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = createScriptedModel(replies)
  const waits: number[] = []
  let ids = 0
  const agent = createAgent({
    name: 'tester',
    model,
    createId: () => `id${++ids}`,
    wait: async (ms) => void waits.push(ms),
    random: () => 1,
    ...options,
  })
  return { agent, model, waits }
}

/** Runs an agent to its end and sorts its events. */
export function collect(
  agent: Subagent,
  input: RunInput,
  onItem: (item: AgentEvent | Checkpoint) => unknown = () => {},
  signal?: AbortSignal,
) {
  return collectRun(agent.run(input, signal && { signal }), onItem)
}

/** Reads a run to its end and sorts its events. */
export async function collectRun(
  run: AsyncIterable<AgentEvent | Checkpoint>,
  onItem: (item: AgentEvent | Checkpoint) => unknown = () => {},
) {
  const items: (AgentEvent | Checkpoint)[] = []
  for await (const item of run) {
    items.push(item)
    await onItem(item)
  }
  const events = items.filter((item) => item.type !== 'checkpoint')
  const states = items.flatMap((item) => (item.type === 'checkpoint' ? [item.state] : []))
  const state = states.at(-1)
  if (state === undefined) throw new Error('The run yielded no checkpoint.')
  const received = events.filter(({ type }) => type !== 'tool_status')
  const types = received.map(({ type }) => type)
  return { items, events, states, state, end: events.at(-1), types }
}

/** A signal that can be awaited. */
export function createGate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}

/** The stages of a call, in order. */
export function stagesOf(events: readonly AgentEvent[], id: string): string[] {
  return events.flatMap((event) =>
    event.type === 'tool_status' && event.callId === id ? [event.stage] : [],
  )
}

/** The results that a run emitted. */
export function resultsOf(events: readonly AgentEvent[]): ToolResult[] {
  return events.filter((event) => event.type === 'tool_result')
}
