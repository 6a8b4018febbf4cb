import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../../json/index.ts'
import { requestFieldsIn } from '../../port/index.ts'
import { objectOf, wordsOf } from '../ag-ui-event.ts'
import { ReadAgents, type ReadAgent } from './read-agents.ts'
import { type ReadCall, ReadCalls, toInput } from './read-calls.ts'
import { ReadLog } from './read-log.ts'
import { OpenWords } from './read-words.ts'
import { fromTokenUsage } from '../token-usage.ts'

const RESULTS = 'awaiting_frontend_tools'
const APPROVALS = 'awaiting_approval'

/** A call that a run waits for, and what for. */
interface Awaited {
  readonly what: typeof RESULTS | typeof APPROVALS
  readonly agent: string
  readonly call: JsonObject
}

/** Follows the AG-UI runs of a stream. */
export class ReadRun {
  readonly log = new ReadLog()
  readonly agents = new ReadAgents()
  readonly calls: ReadCalls
  readonly words: OpenWords
  #agent: string | undefined
  #state: 'idle' | 'open' | 'paused' = 'idle'
  /** Whether the root has said nothing since it waited. */
  #isGoingOn = false
  /** What is known of a run that has not been told of, because its question may follow. */
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
    this.#isGoingOn = this.#state === 'paused' && !isOther(event)
    this.#state = 'open'
    if (!this.#isGoingOn) this.#restart(event)
  }

  /** The question that the run answers. */
  ask(words: string): void {
    if (this.#init === undefined) return
    this.#init = { ...this.#init, user_query: words }
    this.#open()
  }

  /**
   * Whose event this is. A sub-agent that was not announced begins with it, and so does a run; one that waited goes on
   * with what it waited for, and begins anew with anything else. [LIFE-6]
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

  /** Takes in a sub-agent; one that waited is known, and goes on when it speaks. */
  enter(tag: string, event: JsonObject): void {
    this.#open()
    const known = this.agents.find(tag)
    if (known === undefined || known.state === 'done') this.#enter(tag, event)
    else if (known.state === 'suspended') known.state = 'open'
  }

  /** A call gets its result, and whoever waited for it goes on. */
  answer({ agent }: ReadCall): void {
    this.#open()
    if (agent === this.root) this.#isGoingOn = false
    else this.agents.goOn(agent)
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
    this.log.sayJson('error', agent, { type, message, code, retriable })
  }

  finish(event: JsonObject): void {
    this.#open()
    this.log.closeAll()
    const outcome = objectOf(event['outcome'])
    const awaited = [...this.#approvalsIn(outcome), ...this.#resultsIn(outcome)]
    // Whoever is waited for has not come to its end, whatever was said of it.
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

  /** Ends a run whose end never came. */
  cut(): void {
    if (this.#state !== 'open') return
    const message = 'The stream ended before its run did.'
    this.finishFailed({ message, code: 'stream_truncated' })
  }

  #restart(event: JsonObject): void {
    const { agent: name, model, run } = objectOf(event['metadata'])
    // Calls that waited are kept: a question that leaves them behind answers them.
    this.agents.forgetDone()
    this.#isGoingOn = false
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

  /** Tells of the run, if that was not done yet: something happens in it. */
  #open(): void {
    if (this.#state !== 'open') this.start({})
    const init = this.#init
    this.#init = undefined
    if (init !== undefined) this.log.sayJson('meta_init', this.root, init)
  }

  #speak(isAwaited: boolean): void {
    if (this.#isGoingOn && !isAwaited) this.#restart({})
    this.#open()
  }

  #enter(tag: string, event: JsonObject): string {
    const init = this.agents.begin(tag, event, this.root)
    const agent = toText(init['agent_uuid'])
    this.log.closeAll(agent)
    this.log.sayJson('meta_init', agent, init)
    return agent
  }

  #pause(one: ReadAgent, awaited: readonly Awaited[], otherwise: string): void {
    one.state = 'paused'
    const own = this.#announce(one.agent, awaited)
    this.#end(one.agent, {}, own ?? otherwise)
  }

  /** Says what an agent waits for, the approvals first; gives the stop reason of such an end. [LIFE-12] */
  #announce(agent: string, awaited: readonly Awaited[]): string | undefined {
    let reason: string | undefined
    for (const what of [APPROVALS, RESULTS] as const) {
      const own = awaited.filter((one) => one.agent === agent && one.what === what)
      if (own.length === 0) continue
      this.log.sayJson(
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
    this.log.sayJson('meta_end', agent, {
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

  /** Whose interrupt this is; one of an agent that nobody knows is the run's own. */
  #waiterOf({ subagentRunId }: JsonObject): string {
    return this.agents.find(wordsOf(subagentRunId) ?? '')?.agent ?? this.root
  }

  /** The calls that the client answers: those that are named, else those of a finished run that have no result. */
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

/** Whether a run that follows a pause is another one, as this server tells. */
function isOther({ metadata }: JsonObject): boolean {
  const { run, part } = objectOf(metadata)
  return run !== undefined && part === undefined
}

/** What the newest message of a user says, in an input that a server has sent back. */
function lastQuestion(messages: JsonValue | undefined): string {
  const users = isJsonArray(messages)
    ? messages.filter(isJsonObject).filter(({ role }) => role === 'user')
    : []
  const content = users.at(-1)?.['content']
  return typeof content === 'string' ? content : ''
}
