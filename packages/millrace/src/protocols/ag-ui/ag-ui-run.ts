import { isPauseReason } from '../../envelope/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { PendingCall } from '../../events/index.ts'
import type { AgUiDialectOptions, AgUiWaiting } from './ag-ui-dialect.ts'
import {
  AG_UI_VERSION,
  type AgUiEvent,
  type AgUiFields,
  toAgUiEvent,
  toMetadata,
  wordsOf,
} from './ag-ui-event.ts'
import { Calls } from './calls.ts'
import { OpenBlocks } from './open-blocks.ts'
import { toOutcome, toPageCalls } from './outcome.ts'
import { Steps } from './steps.ts'
import { type SubagentEnd, Subagents } from './subagents.ts'
import { toTokenUsage } from './token-usage.ts'

/** The AG-UI runs of one thread, one after the other, each opened by the first that is said in it. */
export class AgUiRun {
  readonly options: AgUiDialectOptions
  readonly calls = new Calls()
  readonly subagents: Subagents
  readonly steps: Steps
  readonly blocks: OpenBlocks
  /** Whether the run has paused, and nothing was told since but answers. */
  isPaused = false
  /** Where in the log what is being said stands. */
  at = 0
  readonly #root: string
  readonly #session: string
  #events: AgUiEvent[] = []
  #isOpen = false
  /** What `meta_init` said of the run in the log, and which part of it this is. */
  #info: JsonObject = {}
  #part = 0
  #runId = ''
  #failure: JsonObject | undefined

  constructor(root: string, session: string, options: AgUiDialectOptions) {
    this.#root = root
    this.#session = session
    this.options = options
    const say = this.say.bind(this)
    this.subagents = new Subagents((event) => this.#events.push(event))
    this.steps = new Steps(say)
    this.blocks = new OpenBlocks(say, this.calls)
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

  /** Whether anything is told of what an agent does. */
  tells(agent: string): boolean {
    return this.isRoot(agent) || this.options.subagents !== 'drop'
  }

  /** Says something in the name of an agent, which is announced if it was not yet. */
  say(agent: string, type: string, fields: AgUiFields): void {
    this.open()
    if (!this.tells(agent)) return
    const subagentRunId = agent === this.#root ? undefined : this.subagents.enter(agent, this.at)
    this.#events.push(toAgUiEvent(type, fields, subagentRunId))
  }

  /** Says something that belongs to the run itself, whoever it is of. */
  sayForAll(type: string, fields: AgUiFields): void {
    this.open()
    this.#events.push(toAgUiEvent(type, fields))
  }

  /** A question was asked: what the log said before it is settled. */
  restart(info: JsonObject): void {
    if (this.#isOpen)
      this.fail({ message: 'The run ended without telling how.', code: 'interrupted' })
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

  /** Ends the AG-UI run as the root's `meta_end` says. */
  close(info: JsonObject): void {
    this.open()
    const stopReason = wordsOf(info['stop_reason']) ?? 'end_turn'
    this.isPaused = isPauseReason(stopReason)
    // Some may have waited since an earlier part, and go on waiting.
    if (!this.isPaused) this.calls.goOn()
    if (this.#failure !== undefined) return this.fail(this.#failure, info)
    this.#finish(stopReason, this.calls.waiting(), info)
  }

  /** Ends an AG-UI run in which nothing was said but what is waited for. */
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
    // A client takes every call without a result for one that it should run, unless it is told which those are.
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

  /** Closes what is open: blocks, steps, sub-agents. */
  #settle(end: SubagentEnd, approvals: readonly PendingCall[] = []): void {
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
      const content = 'No result of this call was told.'
      const metadata = { isError: true, isMissing: true }
      this.calls.answer(toolCallId, messageId)
      if (this.tells(agent)) {
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
    return agent === this.#root || !this.tells(agent) ? undefined : this.subagents.tagOf(agent)
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
