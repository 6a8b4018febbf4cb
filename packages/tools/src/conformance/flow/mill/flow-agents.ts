import { type CreatedAgent, createAgent } from 'millrace/agent'
import { ROOT } from '../expectations/call-reference.ts'
import type { FlowAgent, FlowInput, FlowReply } from '../flow-input.ts'
import type { FlowModels } from './flow-models.ts'
import { toTools, type ToolWorld } from './flow-tools.ts'
import { stallAfter } from './script-reply.ts'

interface AgentWorld extends ToolWorld {
  readonly models: FlowModels
  readonly onError: (error: unknown) => void
}

/** Creates the root agent of a flow. */
export function toRootAgent(input: FlowInput, world: AgentWorld): CreatedAgent {
  return toAgent({ ...input, model: toRootScript(input) }, [], world)
}

function toAgent(flow: FlowAgent, path: readonly string[], world: AgentWorld): CreatedAgent {
  const { model = defaultScript(flow), server_tools: serverTools, system } = flow
  const { max_steps: maxSteps, max_parallel_tool_calls: maxParallelTools } = flow
  const name = path.at(-1) ?? ROOT
  return createAgent({
    name,
    description: `The agent ${name}.`,
    model: world.models.add(path, model, { serverTools }),
    tools: toTools(name, flow, world),
    subagents: Object.entries(flow.subagents).map(([child, asked]) =>
      toAgent(asked, [...path, child], world),
    ),
    retryDelayMs: 1,
    onError: world.onError,
    ...(system !== undefined && { system }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxParallelTools !== undefined && { maxParallelTools }),
  })
}

/** Without a script, an agent spawns each of its sub-agents, if it has any, and then answers. */
function defaultScript({ subagents }: Pick<FlowAgent, 'subagents'>): FlowReply[] {
  const calls = Object.keys(subagents).map((name, index) => ({
    type: 'tool_use',
    id: `spawn_${index + 1}`,
    name: 'spawn_subagent',
    input: { agent_name: name, task: 'Do your part.' },
  }))
  const answer = { content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' }
  return calls.length === 0 ? [answer] : [{ content: calls, stop_reason: 'tool_use' }, answer]
}

/** Returns the script of the root, with a pause where the case acts in the middle of it. */
function toRootScript(input: FlowInput): FlowReply[] {
  const script = input.model ?? defaultScript(input)
  const { abort_after_text: text, disconnect_after_messages: cutAfter } = input
  const [first, ...rest] = script
  if (first === undefined) return script
  if (text !== undefined) return stallOnce(script, text)
  if (isSteeredInText(input)) return [{ ...leaveOpen(first), stalls: true }, ...rest]
  // The run continues without a reader.
  const waitMs = 2 * input.reconnect_after_ms
  return cutAfter === undefined ? script : [{ ...first, waits_ms: waitMs }, ...rest]
}

/** Whether the case steers while the model writes; if the model calls tools, it steers while these run. */
export function isSteeredInText({ steer, steer_when: when, model = [] }: FlowInput): boolean {
  const calls = model[0]?.content.some(({ type }) => type === 'tool_use') ?? false
  return steer !== undefined && when === undefined && !calls
}

function stallOnce(script: readonly FlowReply[], text: string): FlowReply[] {
  const index = script.findIndex((reply) => stallAfter(reply, text) !== undefined)
  return script.map((reply, at) => (at === index ? (stallAfter(reply, text) ?? reply) : reply))
}

function leaveOpen(reply: FlowReply): FlowReply {
  const content = reply.content.map((block, index, { length }) =>
    index === length - 1 && block['type'] === 'text' ? { ...block, unfinished: true } : block,
  )
  return { ...reply, content }
}
