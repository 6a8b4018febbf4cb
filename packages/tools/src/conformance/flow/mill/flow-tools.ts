import type { JsonObject, JsonValue } from 'millrace'
import { sleep } from '../../../streams/sleep.ts'
import { defineFrontendTool, defineTool, type Tool, type ToolContext } from 'millrace/agent'
import type { FlowAgent, FlowTool } from '../flow-input.ts'

/** A call that was run. */
export interface ToolRun {
  readonly id: string
  readonly name: string
  /** The name of the agent that called. */
  readonly agent: string
  readonly input: JsonValue
}

/** What the tools of a case did. */
export interface ToolLog {
  /** The calls that were run, in the order in which they began. */
  readonly runs: ToolRun[]
  running: number
  maxConcurrent: number
}

/** What the tools of a case share. */
export interface ToolWorld {
  readonly log: ToolLog
  /** Resolves when they may answer. */
  readonly mayAnswer: () => Promise<void>
  /** Resolves when a client has read a message like this. */
  readonly until: (moment: JsonObject) => Promise<void>
}

const anything = { type: 'object' } as const

/** Makes the tools of the agent with a name. */
export function toTools(
  agent: string,
  { tools, frontend_tools: frontend }: Pick<FlowAgent, 'tools' | 'frontend_tools'>,
  world: ToolWorld,
): Tool[] {
  return [
    ...Object.entries(tools).map(([name, tool]) => toTool(name, tool, { ...world, agent })),
    ...frontend.map((name) =>
      defineFrontendTool({ name, description: `Asks with ${name}.`, input: anything }),
    ),
  ]
}

interface OwnWorld extends ToolWorld {
  readonly agent: string
}

function toTool(name: string, tool: FlowTool, world: OwnWorld): Tool {
  const { log, agent } = world
  const { input_schema: input = anything, timeout_ms: timeoutMs } = tool
  return defineTool({
    name,
    description: `Does ${name}.`,
    input,
    needsApproval: tool.needs_approval ?? false,
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: async (given, context) => {
      log.runs.push({ id: context.toolUseId, name, agent, input: given })
      log.running++
      log.maxConcurrent = Math.max(log.maxConcurrent, log.running)
      try {
        await meet(log, tool.meets, context.signal)
        return await work(tool, world, context)
      } finally {
        log.running--
      }
    },
  })
}

/** How often a tool looks whether others are there. */
const LOOK_MS = 2

/** Waits until so many calls have been at work at once. */
async function meet(log: ToolLog, count = 0, signal: AbortSignal): Promise<void> {
  while (log.maxConcurrent < count && !signal.aborted) await sleep(LOOK_MS, signal)
}

async function work(
  { hangs, delay_ms: delayMs = 0, answers_when: moment, throws, returns, progress = [] }: FlowTool,
  { mayAnswer, until }: ToolWorld,
  context: ToolContext,
): Promise<unknown> {
  for (const sentence of progress) context.progress(sentence)
  const stopped = sleep(Infinity, context.signal)
  await Promise.race([mayAnswer(), stopped])
  if (moment !== undefined) await Promise.race([until(moment), stopped])
  if (delayMs > 0 || hangs === true)
    await sleep(hangs === true ? Infinity : delayMs, context.signal)
  context.signal.throwIfAborted()
  if (throws !== undefined) throw new Error(throws)
  return returns
}
