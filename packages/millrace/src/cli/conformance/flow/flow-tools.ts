import { sleep } from '../../../streams/index.ts'
import {
  defineFrontendTool,
  defineTool,
  type Tool,
  type ToolContext,
} from '../../../tools/index.ts'
import type { FlowAgent, FlowTool } from './flow-input.ts'

/** What the tools of a case did. */
export interface ToolLog {
  /** The calls that were run, in the order in which they began. */
  readonly runs: { readonly id: string; readonly name: string }[]
  running: number
  maxConcurrent: number
}

/** What the tools of a case share. */
export interface ToolWorld {
  readonly log: ToolLog
  /** Resolves when they may answer. */
  readonly mayAnswer: Promise<void>
}

const anything = { type: 'object' } as const

/** Makes the tools of an agent of a case. */
export function toTools(
  { tools, frontend_tools: frontend }: Pick<FlowAgent, 'tools' | 'frontend_tools'>,
  world: ToolWorld,
): Tool[] {
  return [
    ...Object.entries(tools).map(([name, tool]) => toTool(name, tool, world)),
    ...frontend.map((name) =>
      defineFrontendTool({ name, description: `Asks with ${name}.`, input: anything }),
    ),
  ]
}

function toTool(name: string, tool: FlowTool, { log, mayAnswer }: ToolWorld): Tool {
  const { input_schema: input = anything, timeout_ms: timeoutMs } = tool
  return defineTool({
    name,
    description: `Does ${name}.`,
    input,
    needsApproval: tool.needs_approval ?? false,
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: async (_, context) => {
      log.runs.push({ id: context.toolUseId, name })
      log.running++
      log.maxConcurrent = Math.max(log.maxConcurrent, log.running)
      try {
        await meet(log, tool.meets, context.signal)
        return await work(tool, mayAnswer, context)
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
  { hangs, delay_ms: delayMs = 0, throws, returns, progress = [] }: FlowTool,
  mayAnswer: Promise<void>,
  context: ToolContext,
): Promise<unknown> {
  for (const sentence of progress) context.progress(sentence)
  await Promise.race([mayAnswer, sleep(Infinity, context.signal)])
  if (delayMs > 0 || hangs === true)
    await sleep(hangs === true ? Infinity : delayMs, context.signal)
  context.signal.throwIfAborted()
  if (throws !== undefined) throw new Error(throws)
  return returns
}
