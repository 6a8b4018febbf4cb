import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import { requestFieldsIn } from '../../port/index.ts'
import { objectOf, wordsOf } from '../ag-ui-event.ts'
import { OpenWords, type ReadCall, ReadCalls, toInput } from './read-calls.ts'
import { type ReadAgent, ReadAgents, ReadLog } from './read-log.ts'
import { fromTokenUsage } from '../token-usage.ts'

const RESULTS = 'awaiting_frontend_tools'
const APPROVALS = 'awaiting_approval'

/** A pending call of a run. */
interface Awaited {
  readonly what: typeof RESULTS | typeof APPROVALS
  readonly agent: string
  readonly call: JsonObject
}

/** Converts the AG-UI runs of a stream. */
export class ReadRun {
  readonly log = new ReadLog()
  readonly agents = new ReadAgents()
  readonly calls: ReadCalls
  readonly words: OpenWords
  #agent: string | undefined
  #state: 'idle' | 'open' | 'paused' = 'idle'
  /** Whether the root has had no events since a pause. */
  #isResuming = false
  /** The `meta_init` of a run that is not written yet, because its prompt may follow. */
  #init: JsonObject | undefined
  #steps = 0

  constructor(agent: string | undefined, maxHeldLength: number) {
    this.#agent = agent
    this.calls = new ReadCalls(maxHeldLength)
    this.words = new OpenWords(maxHeldLength)
  }

  get root(): string {
    return this.#agent ?? 'agent'
  }

  get isBeginning(): boolean {
    return this.#init !== undefined
  }

  start(event: JsonObject): void {
    this.#agent ??= wordsOf(event['threadId'])
    if (this.#state === 'open') this.cut()
    this.#isResuming = this.#state === 'paused' && !isOther(event)
    this.#state = 'open'
    if (!this.#isResuming) this.#restart(event)
  }

  /** Sets the prompt of the run. */
  ask(words: string): void {
    if (this.#init === undefined) return
    this.#init = { ...this.#init, user_query: words }
    this.#open()
  }

  /**
   * Returns the agent of an event. An event starts its sub-agent or run if it was not announced. A paused agent continues with an awaited
   * event, and starts again with any other. [LIFE-6]
   */
  agentOf(event: JsonObject, isAwaited = false): string {
    this.#open()
    const tag = wordsOf(event['subagentRunId'])
    if (tag === undefined) {
      this.#speak(isAwaited)
      return this.root
    }
    const known = this.agents.find(tag)
    const isAnew = known?.state === 'paused' && !isAwaited
    if (isAnew) this.calls.forget(known.agent)
    if (known === undefined || known.state === 'done' || isAnew) return this.#enter(tag, {})
    known.state = 'open'
    return known.agent
  }

  /** Adds a sub-agent. A suspended one is already known, and continues. */
  enter(tag: string, event: JsonObject): void {
    this.#open()
    const known = this.agents.find(tag)
    if (known === undefined || known.state === 'done') this.#enter(tag, event)
    else if (known.state === 'suspended') known.state = 'open'
  }

  /** Records the result of a call; its agent continues. */
  answer({ agent }: ReadCall): void {
    this.#open()
    if (agent === this.root) this.#isResuming = false
    else this.agents.resume(agent)
  }

  countStep(agent: string): void {
    if (agent === this.root) this.#steps++
  }

  endSubagent(one: ReadAgent, event: JsonObject, stopReason = 'end_turn'): void {
    one.state = 'done'
    this.calls.forget(one.agent)
    this.#end(one.agent, event, stopReason)
  }

  fail(agent: string, event: JsonObject): void {
    this.log.closeAll(agent)
    const { errorType, retriable = false } = objectOf(event['metadata'])
    const message = wordsOf(event['message']) ?? 'The run failed.'
    const code = wordsOf(event['code']) ?? null
    const type = wordsOf(errorType) ?? code ?? 'error'
    this.log.addJson('error', agent, { type, message, code, retriable })
  }

  finish(event: JsonObject): void {
    this.#open()
    this.log.closeAll()
    const outcome = objectOf(event['outcome'])
    const awaited = [...this.#approvalsIn(outcome), ...this.#resultsIn(outcome)]
    // An agent with pending calls has not ended, even if the stream ended it.
    for (const { agent } of awaited) this.agents.suspend(agent)
    const stopReason =
      awaited[0]?.what ?? (outcome['type'] === 'cancelled' ? 'aborted' : 'end_turn')
    for (const one of this.agents.inState('suspended'))
      this.#pause(one, awaited, awaited[0]?.what ?? RESULTS)
    for (const one of this.agents.inState('open')) this.endSubagent(one, {})
    this.#announce(this.root, awaited)
    this.#end(this.root, event, stopReason)
    this.#state = awaited.length > 0 ? 'paused' : 'idle'
    if (awaited.length === 0) this.calls.clear()
  }

  finishFailed(event: JsonObject): void {
    this.#open()
    this.log.closeAll()
    for (const state of ['suspended', 'open'] as const) {
      for (const one of this.agents.inState(state)) this.endSubagent(one, {}, 'error')
    }
    this.fail(this.root, event)
    this.#end(this.root, event, 'error')
    this.#state = 'idle'
    this.calls.clear()
  }

  /** Ends a run without an end event. */
  cut(): void {
    if (this.#state !== 'open') return
    const message = 'The stream ended before its run. Connect again.'
    this.finishFailed({ message, code: 'stream_truncated' })
  }

  #restart(event: JsonObject): void {
    const { agent: name, model, run } = objectOf(event['metadata'])
    // Pending calls are kept: the next prompt answers them.
    this.agents.forgetDone()
    this.#isResuming = false
    this.#steps = 0
    this.#init = {
      format: 'json',
      user_query: lastQuestion(objectOf(event['input'])['messages']),
      agent_uuid: this.root,
      parent_agent_uuid: null,
      model: wordsOf(model) ?? '',
      protocol_version: 1,
      run_id: wordsOf(run) ?? wordsOf(event['runId']) ?? '',
      ...(typeof name === 'string' && { name }),
    }
  }

  /** Writes the start of the run unless it was written. */
  #open(): void {
    if (this.#state !== 'open') this.start({})
    const init = this.#init
    this.#init = undefined
    if (init !== undefined) this.log.addJson('meta_init', this.root, init)
  }

  #speak(isAwaited: boolean): void {
    if (this.#isResuming && !isAwaited) this.#restart({})
    this.#open()
  }

  #enter(tag: string, event: JsonObject): string {
    const init = this.agents.begin(tag, event, this.root)
    const agent = toText(init['agent_uuid'])
    this.log.closeAll(agent)
    this.log.addJson('meta_init', agent, init)
    return agent
  }

  #pause(one: ReadAgent, awaited: readonly Awaited[], otherwise: string): void {
    one.state = 'paused'
    const own = this.#announce(one.agent, awaited)
    this.#end(one.agent, {}, own ?? otherwise)
  }

  /** Writes the pending calls of an agent, approvals first, and returns the stop reason of the pause. [LIFE-12] */
  #announce(agent: string, awaited: readonly Awaited[]): string | undefined {
    let reason: string | undefined
    for (const what of [APPROVALS, RESULTS] as const) {
      const own = awaited.filter((one) => one.agent === agent && one.what === what)
      if (own.length === 0) continue
      this.log.addJson(
        what,
        agent,
        own.map(({ call }) => call),
      )
      reason ??= what
    }
    return reason
  }

  #end(agent: string, event: JsonObject, otherwise: string): void {
    this.log.closeAll(agent)
    this.words.drop(agent)
    const metadata = objectOf(event['metadata'])
    const { tokens, usage = tokens, cost = null } = metadata
    const entries = isJsonArray(event['usage']) ? event['usage'].filter(isJsonObject) : []
    this.log.addJson('meta_end', agent, {
      stop_reason: wordsOf(metadata['stopReason']) ?? otherwise,
      total_steps: metadata['totalSteps'] ?? (agent === this.root ? this.#steps : 0),
      usage: isJsonObject(usage) ? usage : fromTokenUsage(entries),
      cost,
    })
  }

  #approvalsIn(outcome: JsonObject): readonly Awaited[] {
    const interrupts = isJsonArray(outcome['interrupts']) ? outcome['interrupts'] : []
    return interrupts.filter(isJsonObject).map((interrupt) => {
      const id = wordsOf(interrupt['toolCallId']) ?? wordsOf(interrupt['id']) ?? ''
      const call = this.calls.find(id)
      const metadata = objectOf(interrupt['metadata'])
      const { toolName, input } = metadata
      const name = wordsOf(toolName) ?? call?.name ?? wordsOf(interrupt['reason']) ?? ''
      const given = input ?? toInput(call?.input ?? '{}')
      const agent = call?.agent ?? this.#waiterOf(interrupt)
      return {
        what: APPROVALS,
        agent,
        call: { tool_use_id: id, name, input: given, ...requestFieldsIn(metadata) },
      }
    })
  }

  /** Returns the agent of an interrupt; the root for an unknown agent. */
  #waiterOf({ subagentRunId }: JsonObject): string {
    return this.agents.find(wordsOf(subagentRunId) ?? '')?.agent ?? this.root
  }

  /** Lists the calls that the client answers: the named ones, or all calls of a finished run without results. */
  #resultsIn(outcome: JsonObject): readonly Awaited[] {
    if ('type' in outcome && outcome['type'] !== 'success') return []
    const named = outcome['pendingToolCallIds']
    const ids = isJsonArray(named) && named.length > 0 ? named.map(String) : this.calls.unanswered()
    return ids.flatMap((id) => {
      const call = this.calls.find(id)
      if (call === undefined) return []
      const { agent, name, input } = call
      return [{ what: RESULTS, agent, call: { tool_use_id: id, name, input: toInput(input) } }]
    })
  }
}

/** Whether the metadata of this server marks a run after a pause as another run. */
function isOther({ metadata }: JsonObject): boolean {
  const { run, part } = objectOf(metadata)
  return run !== undefined && part === undefined
}

/** Returns the newest user message in an input that a server has sent back. */
function lastQuestion(messages: JsonValue | undefined): string {
  const users = isJsonArray(messages)
    ? messages.filter(isJsonObject).filter(({ role }) => role === 'user')
    : []
  const content = users.at(-1)?.['content']
  return typeof content === 'string' ? content : ''
}
