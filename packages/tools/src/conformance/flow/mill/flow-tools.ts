import type { JsonObject, JsonValue } from 'millrace'
import { sleep } from '../../../streams/sleep.ts'
import { defineFrontendTool, defineTool, type Tool, type ToolContext } from 'millrace/agent'
import type { FlowAgent, FlowTool } from '../flow-input.ts'

/** Holds tools back while requests of a case are in transit. */
export interface ToolGate {
  /** Holds tools back until the returned function is called. */
  hold(): () => void
  /** Resolves when nothing holds tools back. */
  opened(): Promise<void>
}

/** Creates a gate that holds tools until it is opened. */
export function createToolGate(): ToolGate {
  const holds = new Set<object>()
  let wake: (() => void)[] = []
  return {
    hold: () => {
      const hold = {}
      holds.add(hold)
      return () => {
        holds.delete(hold)
        if (holds.size > 0) return
        for (const resolve of wake) resolve()
        wake = []
      }
    },
    opened: () =>
      holds.size === 0 ? Promise.resolve() : new Promise((resolve) => wake.push(resolve)),
  }
}

interface ToolRun {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly input: JsonValue
}

/** The record of executed calls. */
export interface ToolLog {
  /** The executed calls, in order of their start. */
  readonly runs: ToolRun[]
  running: number
  maxConcurrent: number
}

/** State shared by the tools of a case. */
export interface ToolWorld {
  readonly log: ToolLog
  readonly mayAnswer: () => Promise<void>
  /** Resolves when a client has read an envelope like this. */
  readonly until: (moment: JsonObject) => Promise<void>
}

const anything = { type: 'object' } as const

/** Creates the tools of an agent. */
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
      log.runs.push({ id: context.callId, name, agent, input: given })
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

/** Interval at which a tool checks for concurrent calls. */
const LOOK_MS = 2

/** Waits until this many calls have run concurrently. */
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
