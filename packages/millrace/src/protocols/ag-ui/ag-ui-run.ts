import { isPauseReason, type PausedCall } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import {
  AG_UI_VERSION,
  toAgUiEvent,
  toMetadata,
  wordsOf,
  type AgUiEvent,
  type AgUiFields,
} from './ag-ui-event.ts'
import type { AgUiFormatOptions, AgUiWaiting } from './ag-ui-format.ts'
import { Calls } from './calls.ts'
import { OpenBlocks, Steps } from './open-blocks.ts'
import { toOutcome, toPageCalls } from './outcome.ts'
import { type SubagentEnd, Subagents } from './subagents.ts'
import { toTokenUsage } from './token-usage.ts'

/** Consecutive AG-UI runs of a thread. The first event of each opens it. */
export class AgUiRun {
  readonly options: AgUiFormatOptions
  readonly calls = new Calls()
  readonly subagents: Subagents
  readonly steps: Steps
  readonly blocks: OpenBlocks
  /** Whether the run is paused, with only answers since. */
  isPaused = false
  /** Log position of the current event. */
  at = 0
  readonly #root: string
  readonly #session: string
  #events: AgUiEvent[] = []
  #isOpen = false
  /** Content of the run's `meta_init`, and the number of the current part of the run. */
  #info: JsonObject = {}
  #part = 0
  #runId = ''
  #failure: JsonObject | undefined

  constructor(root: string, session: string, options: AgUiFormatOptions) {
    this.#root = root
    this.#session = session
    this.options = options
    const emit = this.emit.bind(this)
    this.subagents = new Subagents((event) => this.#events.push(event))
    this.steps = new Steps(emit)
    this.blocks = new OpenBlocks(emit, this.calls)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  take(): readonly AgUiEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  isRoot(agent: string): boolean {
    return agent === this.#root
  }

  /** Whether the events of an agent are written. */
  shows(agent: string): boolean {
    return this.isRoot(agent) || this.options.subagents !== 'drop'
  }

  /** Writes an event of an agent. A sub-agent is announced first if necessary. */
  emit(agent: string, type: string, fields: AgUiFields): void {
    this.open()
    if (!this.shows(agent)) return
    const subagentRunId = agent === this.#root ? undefined : this.subagents.enter(agent, this.at)
    this.#events.push(toAgUiEvent(type, fields, subagentRunId))
  }

  /** Writes an event of the run itself. */
  emitForRun(type: string, fields: AgUiFields): void {
    this.open()
    this.#events.push(toAgUiEvent(type, fields))
  }

  /** Starts the run of a new prompt and closes the run before it. */
  restart(info: JsonObject): void {
    if (this.#isOpen) this.fail({ message: 'The run ended without a reason.', code: 'interrupted' })
    this.#info = info
    this.#part = 0
    this.calls.clear()
    this.subagents.forgetDone()
    this.steps.restart(this.#root)
    this.blocks.turn(this.#root)
    this.open()
  }

  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#part++
    this.subagents.startRun()
    const { threadId = this.#session, parentRunId, opening = [] } = this.options
    this.#runId = this.options.runId ?? this.#ownRunId()
    const part = this.#part > 1 ? this.#part : undefined
    const { name, model, run_id: run } = this.#info
    const metadata = toMetadata({
      agent: wordsOf(name),
      model: wordsOf(model),
      run: wordsOf(run),
      part,
    })
    const fields = {
      threadId,
      runId: this.#runId,
      protocolVersion: AG_UI_VERSION,
      parentRunId,
      metadata,
    }
    this.#events.push(toAgUiEvent('RUN_STARTED', fields), ...opening)
  }

  noteFailure(failure: JsonObject): void {
    this.#failure ??= failure
  }

  /** Ends the AG-UI run by the root's `meta_end`. */
  close(info: JsonObject): void {
    this.open()
    const stopReason = wordsOf(info['stop_reason']) ?? 'end_turn'
    this.isPaused = isPauseReason(stopReason)
    // Calls of an earlier part may still be pending after a pause.
    if (!this.isPaused) this.calls.clearPending()
    if (this.#failure !== undefined) return this.fail(this.#failure, info)
    this.#finish(stopReason, this.calls.waiting(), info)
  }

  /** Ends an AG-UI run whose only content is its pending calls. */
  closeWaiting(waiting: AgUiWaiting): void {
    this.open()
    this.#finish('', waiting, {})
  }

  /** Ends the AG-UI run with an error. */
  fail(failure: JsonObject, info: JsonObject = {}): void {
    this.#settle('lost')
    const message = wordsOf(failure['message']) ?? 'The run failed.'
    const code = wordsOf(failure['code']) ?? wordsOf(failure['type'])
    const { retriable, type: errorType } = failure
    const usage = this.#usageOf(info)
    const metadata = toMetadata({ ...summaryOf(info), errorType, retriable })
    this.#events.push(toAgUiEvent('RUN_ERROR', { message, code, usage, metadata }))
    this.#end()
  }

  #finish(stopReason: string, waiting: AgUiWaiting, info: JsonObject): void {
    const isPaused =
      isPauseReason(stopReason) || waiting.results.length + waiting.approvals.length > 0
    const { client } = this.options
    const outcome = toOutcome(stopReason, waiting, { client, tagOf: (agent) => this.#tagOf(agent) })
    this.#settle(isPaused ? 'suspended' : 'lost', waiting.approvals)
    // Without a list of pending calls, a client runs every call that has no result.
    if (outcome['type'] === 'success' && !isPaused) this.#answerRest()
    if (client === 'tanstack') this.#events.push(...toPageCalls(waiting))
    const { threadId = this.#session } = this.options
    const usage = this.#usageOf(info)
    const fields = {
      threadId,
      runId: this.#runId,
      outcome,
      usage,
      metadata: toMetadata(summaryOf(info)),
    }
    this.#events.push(toAgUiEvent('RUN_FINISHED', fields))
    this.#end()
  }

  /** Closes open blocks, steps and sub-agents. */
  #settle(end: SubagentEnd, approvals: readonly PausedCall[] = []): void {
    this.blocks.close()
    this.steps.closeAll()
    for (const agent of this.subagents.open()) {
      const ids = approvals.filter((call) => call.agent === agent).map((call) => call.callId)
      this.subagents.end(agent, end, {}, ids)
    }
  }

  #answerRest(): void {
    for (const [toolCallId, { agent }] of this.calls.unanswered()) {
      const messageId = `${toolCallId}-none`
      const content = 'No result of this call was received.'
      const metadata = { isError: true, isMissing: true }
      this.calls.answer(toolCallId, messageId)
      if (this.shows(agent)) {
        const subagentRunId = this.#tagOf(agent)
        const fields = { messageId, toolCallId, content, role: 'tool', metadata, subagentRunId }
        this.#events.push(toAgUiEvent('TOOL_CALL_RESULT', fields))
      }
    }
  }

  #end(): void {
    this.#isOpen = false
    this.#failure = undefined
  }

  #tagOf(agent: string): string | undefined {
    return agent === this.#root || !this.shows(agent) ? undefined : this.subagents.tagOf(agent)
  }

  #ownRunId(): string {
    const run = wordsOf(this.#info['run_id']) ?? `${this.#root}-${this.at}`
    return this.#part > 1 ? `${run}.${this.#part}` : run
  }

  #usageOf({ usage }: JsonObject) {
    return toTokenUsage(usage, this.#info['model'])
  }
}

function summaryOf(info: JsonObject): AgUiFields {
  const { stop_reason: stopReason, total_steps: totalSteps, usage, cost } = info
  return { stopReason, totalSteps, tokens: usage, cost: cost ?? undefined }
}
