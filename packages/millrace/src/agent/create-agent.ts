import { type CompactorChoice, createCompactor } from './compaction/index.ts'
import { badRequest, checkOptions } from '../errors/index.ts'
import { type AgentTelemetry, type Model, type ModelNotice, noTelemetry } from '../events/index.ts'
import type { JsonObject, StandardSchema } from '../json/index.ts'
import { mergePrices, type PriceTable } from '../models/pricing/index.ts'
import { printError } from '../outbound/index.ts'
import { sleep } from '../streams/index.ts'
import { createToolbox, type Tool } from '../tools/index.ts'
import { type AgentRun, startAgentRun, startStoredRun } from './agent-run.ts'
import { type AgentState, readRun } from './state/index.ts'
import type { RunInput, RunOptions, Subagent } from './agent.ts'
import type { Agent, AgentStream, PauseAnswers, RunStart, AgentRunOptions } from './port/index.ts'
import { offerToStored } from './calls/offer.ts'
import { checkAgentOptions } from './check-agent-options.ts'
import { READ_RESULT } from './calls/large-results.ts'
import type { FileKeeper } from './loop/generated-files.ts'
import { openRun } from './loop/open-run.ts'
import { createOutputContract } from './loop/output-contract.ts'
import type { StepPreparation, ToolCallStart } from './loop/step-hooks.ts'
import type { FinishedStep, StopCondition } from './loop/stop-when.ts'
import { checkToolChoice } from './loop/tool-choice.ts'
import type {
  AgentSettings,
  AgentTools,
  CutAnswers,
  FinalAnswerCheck,
  Instructions,
  StepToolChoice,
} from './run.ts'
import { SPAWN_SUBAGENT } from './subagents/spawn-schema.ts'
import { ignoreErrors } from './ignore-errors.ts'

/** Options of an agent. */
export interface AgentOptions<Context = unknown> {
  readonly name: string
  /** Description shown to parent agents. */
  readonly description?: string
  readonly model: Model
  /** Instructions sent with every request. A function is called once a run, and again when it continues. */
  readonly system?: Instructions<Context>
  /** The tools. A function is called once a run, and again when it continues. */
  readonly tools?: AgentTools<Context>
  /** Whether the model may or must call tools. A constant that demands a call applies to the first step of each run. */
  readonly toolChoice?: StepToolChoice<Context>
  /** Agents that this agent can spawn. */
  readonly subagents?: readonly Subagent[]
  /** Whether a user must approve each sub-agent. */
  readonly subagentsNeedApproval?: boolean
  /** Maximum model calls of a run; at the limit the model is asked for a summary and the run ends with `max_steps`. */
  readonly maxSteps?: number
  /** Ends the run after the results of a step, with the stop reason `stop_condition`, if it returns true. */
  readonly stopWhen?: StopCondition<Context>
  /** Called before each step, and again if the step is repeated after a crash; may choose its model and tool choice. */
  readonly beforeStep?: StepPreparation<Context>
  /** Receives each step with the results of its calls; its errors have no effect on the run. */
  readonly afterStep?: (step: FinishedStep<Context>) => unknown
  /** Receives each call of a server tool before it runs; its errors have no effect on the run. */
  readonly onToolCall?: (call: ToolCallStart<Context>) => unknown
  /** Maximum tokens of one answer. */
  readonly maxTokens?: number
  readonly maxParallelTools?: number
  /** Longer results are stored; the model gets the beginning and can read the rest. */
  readonly maxResultChars?: number
  /** Maximum size of all stored results. The oldest are dropped first; of a longer result only the beginning is stored. */
  readonly maxKeptChars?: number
  /** Maximum number of sub-agents of earlier runs that can be resumed. The least recently used are dropped. */
  readonly maxKeptSubagents?: number
  /** Maximum number of retries of a failed model call. */
  readonly retries?: number
  readonly retryDelayMs?: number
  /** Maximum delay that a provider may request before a retry; if it requests more, the call fails. */
  readonly maxRetryDelayMs?: number
  /** Treatment of interrupted answers; a model that is asked to continue may repeat itself. */
  readonly cutAnswers?: CutAnswers
  /** Time that a stopped model has to end its message. */
  readonly abortGraceMs?: number
  /** Whether parts of the prompt are marked for the provider's cache. */
  readonly cachePrompt?: boolean
  /** Shortens a conversation that becomes too long for the model. */
  readonly compactor?: CompactorChoice
  /** Additional prices, besides those of the library. */
  readonly prices?: PriceTable
  /** Fetches and stores files that the provider generates. */
  readonly files?: FileKeeper
  /** The schema of the final answer, which is then a JSON object. An answer that does not match is returned to the model once. */
  readonly output?: StandardSchema | JsonObject
  /** Checks the final answer: true to accept it, else the message to the model. */
  readonly finalAnswerCheck?: FinalAnswerCheck
  /** Maximum number of rejected answers in a run. */
  readonly maxAnswerChecks?: number
  readonly telemetry?: AgentTelemetry
  readonly createId?: () => string
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random?: () => number
  /** Receives irregularities of the model's stream that had no effect. */
  readonly onNotice?: (notice: ModelNotice) => void
  /** Receives errors that readers see only in general terms; by default they are printed to the standard error output. */
  readonly onError?: (error: unknown) => void
}

/** An agent whose runs a server stores, or whose states the caller keeps. */
export interface CreatedAgent extends Agent {
  run(start: RunStart, options?: AgentRunOptions): AgentStream
  /** Runs from a state in memory, or without one. */
  run(input: RunInput, options?: RunOptions): AgentRun
  /** Continues a run that is paused or whose process died. */
  resume(state: AgentState, answers?: PauseAnswers, options?: RunOptions): AgentRun
}

/** Creates an agent: a model, its instructions and its tools. */
export function createAgent<Context = unknown>(given: AgentOptions<Context>): CreatedAgent {
  // A server calls its functions with the context of its own requests.
  const options = given as AgentOptions
  checkAgentOptions(options)
  const settings = toSettings(options)
  const start = (input: RunInput, runOptions: RunOptions = {}) =>
    startAgentRun(settings, openRun(settings, input, runOptions.now?.()), runOptions)
  function run(begin: RunStart, runOptions?: AgentRunOptions): AgentStream
  function run(input: RunInput, runOptions?: RunOptions): AgentRun
  function run(input: RunStart | RunInput, runOptions: RunOptions = {}): AgentStream | AgentRun {
    return 'stored' in input
      ? startStoredRun(settings, input, runOptions)
      : start(input, runOptions)
  }
  const { name, description, model } = settings
  return {
    name,
    ...(description !== undefined && { description }),
    model: model.id,
    recovery: 'continue',
    run,
    resume: (state, answers = {}, runOptions) => start({ state, ...answers }, runOptions),
    offer: offerToStored,
    conversation: readRun,
  }
}

function toSettings({
  maxSteps = 50,
  maxTokens = 4096,
  maxParallelTools = 5,
  maxResultChars = 100_000,
  maxKeptChars = 4_000_000,
  maxKeptSubagents = 50,
  maxAnswerChecks = 3,
  retries = 2,
  retryDelayMs = 500,
  maxRetryDelayMs = 60_000,
  abortGraceMs = 1000,
  ...options
}: AgentOptions): AgentSettings {
  const limits = { maxSteps, maxTokens, maxParallelTools, maxResultChars, maxKeptChars }
  checkLimits(limits, 1)
  const patience = { retries, retryDelayMs, maxRetryDelayMs, abortGraceMs }
  const bounds = { ...patience, maxAnswerChecks, maxKeptSubagents }
  checkLimits(bounds, 0)
  const hooks = toHooks(options)
  const { name, description, model, system, prices, files, stopWhen, finalAnswerCheck } = options
  const { tools = [], subagents = [], toolChoice, output } = options
  const { beforeStep, afterStep, onToolCall } = options
  if (toolChoice !== undefined && typeof toolChoice !== 'function') checkToolChoice(toolChoice)
  if (prices !== undefined) mergePrices(prices)
  return {
    name,
    description,
    model,
    system,
    prices,
    files,
    stopWhen,
    beforeStep,
    afterStep,
    onToolCall,
    finalAnswerCheck,
    output: output && createOutputContract(output),
    ...limits,
    ...bounds,
    ...hooks,
    tools: checkTools(tools, subagents),
    toolChoice,
    subagents: toSubagents(subagents),
    subagentsNeedApproval: options.subagentsNeedApproval ?? false,
    cutAnswers: toCutAnswers(options.cutAnswers),
    cachePrompt: options.cachePrompt ?? true,
    compactor: createCompactor(options.compactor ?? 'sliding_window', { onError: hooks.onError }),
  }
}

function toHooks({
  telemetry = noTelemetry,
  createId = () => crypto.randomUUID(),
  wait = sleep,
  random = Math.random,
  onNotice = () => {},
  onError = printError,
}: Partial<AgentOptions>) {
  return {
    telemetry,
    createId,
    wait,
    random,
    onNotice: ignoreErrors(onNotice),
    onError: ignoreErrors(onError),
  }
}

const cutAnswersValues: readonly CutAnswers[] = ['continue', 'ask', 'retry']

function toCutAnswers(given: CutAnswers = 'continue'): CutAnswers {
  if (cutAnswersValues.includes(given)) return given
  const values = cutAnswersValues.map((value) => `"${value}"`).join(', ')
  throw badRequest(`\`cutAnswers\` is ${JSON.stringify(given)}; it must be one of ${values}.`)
}

/** Checks a list of tools at once, and the result of a function when a run has it. */
function checkTools(tools: AgentTools, { length }: readonly Subagent[]): AgentTools {
  const check = (list: readonly Tool[]): readonly Tool[] => {
    checkOptions('createAgent', { tools: list }, { tools: 'list' })
    createToolbox(list)
    checkReserved(list, READ_RESULT, 'reads on in long results')
    if (length > 0) checkReserved(list, SPAWN_SUBAGENT, 'spawns sub-agents')
    return list
  }
  return typeof tools === 'function' ? async (place) => check(await tools(place)) : check(tools)
}

function checkReserved(tools: readonly Tool[], name: string, does: string): void {
  if (!tools.some(({ schema }) => schema.name === name)) return
  throw badRequest(`\`${name}\` is the tool that ${does}; rename yours.`)
}

function toSubagents(agents: readonly Subagent[]): ReadonlyMap<string, Subagent> {
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  const double = agents.find((agent) => byName.get(agent.name) !== agent)
  if (double !== undefined)
    throw badRequest(`Two sub-agents are named "${double.name}"; rename one of them.`)
  const silent = agents.find(({ description = '' }) => description.trim() === '')
  if (silent === undefined) return byName
  throw badRequest(
    `The sub-agent "${silent.name}" needs a \`description\`, by which the model chooses an agent.`,
  )
}

function checkLimits(limits: Readonly<Record<string, number>>, least: number): void {
  const wrong = Object.entries(limits).find(([, limit]) => !(limit >= least))
  if (wrong === undefined) return
  const [name, limit] = wrong
  throw badRequest(`\`${name}\` is ${limit}; it must be at least ${least}.`)
}
