import { MillraceError } from '../errors/index.ts'
import type { Model, ModelNotice } from '../events/index.ts'
import { createToolbox, type Tool } from '../tools/index.ts'
import type { Agent } from './agent.ts'
import { openRun, type Opening } from './open-run.ts'
import type { AgentSettings, RunStream } from './run.ts'
import { runLoop } from './run-loop.ts'
import { sleep } from './sleep.ts'

/** What makes an agent. */
export interface AgentOptions {
  readonly name: string
  readonly model: Model
  /** Instructions that go with every question. */
  readonly system?: string
  readonly tools?: readonly Tool[]
  /** Model calls of one run; at the limit it ends with `max_steps`. */
  readonly maxSteps?: number
  /** Tokens of one answer. */
  readonly maxTokens?: number
  readonly maxParallelTools?: number
  /** How often a model call that failed is made again. */
  readonly retries?: number
  readonly retryDelayMs?: number
  /** A provider that asks for more patience than this is not waited for. */
  readonly maxRetryDelayMs?: number
  /** How long a stopped model may take to say its last word. */
  readonly abortGraceMs?: number
  readonly createId?: () => string
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random?: () => number
  /** Hears what was odd in the model's stream and changed nothing. */
  readonly onNotice?: (notice: ModelNotice) => void
  /** Hears of errors that a reader is told of only in general words. */
  readonly onError?: (error: unknown) => void
}

/** Creates an agent: a model, its instructions and its tools. */
export function createAgent(options: AgentOptions): Agent {
  const settings = toSettings(options)
  return {
    name: settings.name,
    run: (input, { signal } = {}) => live(settings, openRun(settings, input), signal),
  }
}

function toSettings({
  name,
  model,
  system,
  tools = [],
  maxSteps = 50,
  maxTokens = 4096,
  maxParallelTools = 5,
  retries = 2,
  retryDelayMs = 500,
  maxRetryDelayMs = 60_000,
  abortGraceMs = 1000,
  createId = () => crypto.randomUUID(),
  wait = sleep,
  random = Math.random,
  onNotice = () => {},
  onError = () => {},
}: AgentOptions): AgentSettings {
  checkLimits({ maxSteps, maxTokens, maxParallelTools })
  const limits = { maxSteps, maxTokens, maxParallelTools, retries, retryDelayMs }
  const patience = { maxRetryDelayMs, abortGraceMs }
  const hooks = { createId, wait, random, onNotice, onError }
  return { name, model, system, toolbox: createToolbox(tools), ...limits, ...patience, ...hooks }
}

function checkLimits(limits: Readonly<Record<string, number>>): void {
  const wrong = Object.entries(limits).find(([, limit]) => !(limit >= 1))
  if (wrong === undefined) return
  throw new MillraceError('bad_request', `\`${wrong[0]}\` is ${wrong[1]}; it must be at least 1.`)
}

/** Ties a run to its signal; whatever it started is stopped when it is over or nobody reads it any more. */
function live(settings: AgentSettings, opening: Opening, signal?: AbortSignal): RunStream<void> {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const stop = () => {
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
  const link = () => {
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    return stop
  }
  const { state } = opening
  const stopReason = state.stopReason ?? 'end_turn'
  return runLoop({ settings, signal: controller.signal, link, state, stopReason }, opening)
}
