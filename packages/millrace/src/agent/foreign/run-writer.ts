import {
  addUsage,
  type AgentEvent,
  type ContentBlock,
  createFinalAnswer,
  type FinalAnswer,
  noUsage,
  type RunFailure,
  toErrorEvent,
  type ToolResult,
  type Usage,
} from '../../events/index.ts'
import { fromResultContent, type ToolAnswer, toResultBlock } from '../../tools/index.ts'
import type { CallIds } from '../calls/call-ids.ts'
import { closeCalls, closeTurn, toRunEnd } from '../subagents/close-agent.ts'
import type { AgentCheckpoint } from '../port/index.ts'
import { toToolResult } from '../run.ts'
import { answerSoFar } from '../run-result.ts'
import {
  type AgentState,
  appendMessage,
  openCalls,
  type StateWriter,
  StoredCheckpoint,
} from '../state/index.ts'
import { BlockBuilder } from './block-builder.ts'
import { refusal } from './check-event.ts'
import type { LoopEvent, LoopMemory } from './loop-event.ts'
import { withCallIds } from './with-call-ids.ts'

type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>
type ResultEvent = EventOf<'tool_result'>

/** An event about a call that waits for the arguments of others. */
interface HeldEvent {
  readonly callId: string
  readonly take: () => void
}

/** Parts of a {@link RunWriter}. */
interface WriterParts {
  readonly state: AgentState
  readonly writer: StateWriter
  readonly callIds: CallIds
  /** Whether a recovered run repeats everything since it began or was answered. */
  readonly isRepeated: boolean
}

const NOT_ANSWERED = 'The loop ended without a result of this call.'

/** Turns the events of a loop into those of an agent, with its state. */
export class RunWriter {
  state: AgentState
  /** The reasons for which the loop waits, by the ids of calls. */
  readonly waits = new Map<string, 'frontend' | 'approval'>()
  failure: RunFailure | undefined
  /** The stop reason that the loop gave for the run, if any. */
  stopReason: string | undefined
  readonly #writer: StateWriter
  readonly #callIds: CallIds
  readonly #isRepeated: boolean
  /** The state from which a run that is repeated begins. */
  #start: AgentState | undefined
  /** The ids of all calls since then. */
  readonly #shown: string[] = []
  /** The results since then of calls that it was answered. */
  readonly #given: ContentBlock[] = []
  readonly #blocks: BlockBuilder
  readonly #answer: FinalAnswer
  /** Ids on the wire by those of the loop. */
  readonly #ids = new Map<string, string>()
  /** Results and progress that came while the arguments of another call were incomplete. */
  #held: HeldEvent[] = []
  #items: (AgentEvent | AgentCheckpoint)[] = []

  constructor({ state, writer, callIds, isRepeated }: WriterParts) {
    this.state = state
    this.#writer = writer
    this.#callIds = callIds
    this.#isRepeated = isRepeated
    this.#blocks = new BlockBuilder(state.agent, this.emit)
    this.#answer = createFinalAnswer(state.agent, answerSoFar(state))
  }

  /** Whether the loop waits for a call that has no result. */
  get isWaiting(): boolean {
    return openCalls(this.state.turn).some(({ id }) => this.waits.has(id))
  }

  /** Begins the part of the run that is repeated after a crash, if the loop cannot continue. */
  begin(): void {
    if (this.#isRepeated) this.#start = this.state
  }

  /** Returns the events and checkpoints since the last time. */
  drain(): readonly (AgentEvent | AgentCheckpoint)[] {
    const items = this.#items
    this.#items = []
    return items
  }

  readonly emit = (event: AgentEvent): void => {
    this.#answer.take(event)
    this.#items.push(event)
  }

  /** Adds a checkpoint to store with the next event, or alone. */
  save(state = this.#toStored(), isAlone = false): void {
    const answer = () => this.#answer.text()
    this.#items.push(new StoredCheckpoint(state, this.#writer, answer, isAlone))
  }

  /** Takes an event of the loop; its number counts from 1. */
  take(event: LoopEvent, number: number): void {
    const take = this.#takers[event.type] as (event: LoopEvent, number: number) => void
    take(event, number)
  }

  /** Stores the conversation in the loop's own form; it stands for all messages so far. */
  remember({ items }: LoopMemory): void {
    this.settle()
    this.#closeAnswered()
    const { messages, memory: known = [] } = this.state
    const renamed = new Map([...this.#ids].filter(([id, shown]) => id !== shown))
    const memory = withCallIds(items, renamed, known.length)
    this.state = { ...this.state, memory, remembered: messages.length }
  }

  /** Ends the current message and its step, if it has content. */
  settle(given?: string, usage: Usage = noUsage): boolean {
    this.#blocks.endProse()
    if (!this.#blocks.hasContent) return false
    const { content, calls } = this.#blocks.take()
    this.#closeAnswered()
    const { state } = this
    const open = state.turn ?? { calls: [], results: [] }
    const step = state.steps + 1
    const stopReason = given ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
    this.state = {
      ...state,
      messages: appendMessage(state.messages, 'assistant', content),
      steps: step,
      stopReason,
      usage: addUsage(state.usage, usage),
      ...((calls.length > 0 || state.turn) && {
        turn: { ...open, calls: [...open.calls, ...calls] },
      }),
    }
    this.save()
    const { agent } = state
    this.emit({ type: 'step_end', agent, step, stopReason, usage: addUsage(noUsage, usage) })
    return true
  }

  /** Ends the message of a loop that was stopped or has failed, and reports an error for its open calls. */
  abandon(reason: string): void {
    const cut = this.#blocks.cut()
    const { content, calls } = this.#blocks.take()
    this.#closeAnswered()
    const { state } = this
    const open = state.turn ?? { calls: [], results: [] }
    this.state = {
      ...state,
      messages: appendMessage(state.messages, 'assistant', content),
      ...((calls.length > 0 || state.turn) && {
        turn: { ...open, calls: [...open.calls, ...calls] },
      }),
      ...(cut.length > 0 && { unlistedCalls: [...(state.unlistedCalls ?? []), ...cut] }),
    }
    // Tools that have run keep their results; a wrong id is not reported, because the run ends with another error.
    for (const { callId, take } of this.#held.splice(0)) if (this.#isOpen(callId)) take()
    this.closeCalls(reason)
  }

  /** Ends the message of a loop that has ended. */
  finish(): void {
    for (const { take } of this.#held.splice(0)) take()
    // The loop was not cut, so its last text is whole. [LIFE-14]
    this.#blocks.endProse()
    const cut = this.#blocks.cut()
    if (cut.length > 0)
      this.state = {
        ...this.state,
        unlistedCalls: [...(this.state.unlistedCalls ?? []), ...cut],
      }
    this.settle()
  }

  /** Reports an error as the result of each open call. */
  closeCalls(reason = NOT_ANSWERED): void {
    const { state, events } = closeCalls(this.state, reason)
    this.state = { ...state, unsent: [...(state.unsent ?? []), ...events] }
    this.sendUnsent()
  }

  /** Emits the events that were not sent, each with the state without it. */
  sendUnsent(): void {
    for (;;) {
      const { unsent, ...state } = this.state
      const [event, ...rest] = unsent ?? []
      this.state = rest.length === 0 ? state : { ...state, unsent: rest }
      if (event === undefined) return
      this.save(this.state)
      this.emit(event)
    }
  }

  /** Emits the result of an open call. */
  putAnswer(call: { readonly id: string; readonly name: string }, answer: ToolAnswer): void {
    const { turn } = this.state
    if (turn === undefined) return
    const result = toResultBlock(call.id, answer)
    const results = [...turn.results, result]
    if (this.#start?.turn?.calls.some(({ id }) => id === call.id)) this.#given.push(result)
    const answers = turn.answers?.filter((block) => block['tool_use_id'] !== call.id)
    this.state = { ...this.state, turn: { ...turn, results, ...(answers && { answers }) } }
    this.save()
    this.emit(toToolResult(this.state.agent, call, answer) satisfies ToolResult)
  }

  /** Emits the error of a failed run. */
  reportFailure(): void {
    if (this.failure === undefined) return
    this.save(this.state)
    this.emit(toErrorEvent(this.state.agent, this.failure))
  }

  /** Ends the run, or its part before a pause. */
  end(stopReason: string): void {
    this.state = { ...this.state, stopReason, ended: stopReason }
    this.save(this.state)
    const end = toRunEnd(this.state, stopReason)
    this.emit({ ...end, history: this.state.messages })
  }

  /** Returns the id on the wire of a call that the loop has named. */
  idOf(callId: string): string {
    return this.#ids.get(callId) ?? callId
  }

  readonly #takers: {
    readonly [Type in LoopEvent['type']]: (event: EventOf<Type>, number: number) => void
  } = {
    text: ({ text }) => this.#blocks.addProse('text', text),
    thinking: ({ text, signature }) => this.#blocks.addProse('thinking', text, signature),
    block_end: () => this.#blocks.endProse(),
    tool_input: ({ callId, name, text }) =>
      this.#blocks.growCall({ id: this.#name(callId), name }, text),
    tool_call: ({ callId, name, input = {} }) => {
      const inputText = typeof input === 'string' ? input : JSON.stringify(input)
      this.#blocks.addCall({ id: this.#name(callId), name }, inputText)
      this.#named.delete(callId)
      this.#releaseHeld()
    },
    tool_progress: (event, number) =>
      this.#afterCalls(event.callId, () => this.#putProgress(event, number)),
    tool_result: (event, number) =>
      this.#afterCalls(event.callId, () => this.#putResult(event, number)),
    step_end: ({ stopReason, usage = noUsage }) => {
      if (this.settle(stopReason, usage)) return
      const { state } = this
      this.state = {
        ...state,
        ...(stopReason !== undefined && { stopReason }),
        usage: addUsage(state.usage, usage),
      }
    },
    awaiting_frontend_tools: ({ calls }, number) => this.#wait(calls, 'frontend', number),
    awaiting_approval: ({ calls }, number) => this.#wait(calls, 'approval', number),
    error: ({ message, kind = 'agent_error', code = 'agent_failed', retriable = false }) => {
      this.failure = { type: kind, message, code, retriable }
    },
    end: ({ stopReason }) => {
      this.stopReason = stopReason
    },
  }

  /** Calls whose arguments are incomplete, by the loop's ids. */
  readonly #named = new Set<string>()

  /** Returns the id on the wire of a call that begins or grows. */
  #name(callId: string): string {
    if (this.#named.has(callId)) return this.idOf(callId)
    const id = this.#callIds.take(callId === '' ? 'call_1' : callId, this.state.agent)
    this.#ids.set(callId, id)
    this.#named.add(callId)
    this.#shown.push(id)
    return id
  }

  #releaseHeld(): void {
    if (this.#blocks.isInCall) return
    for (const { take } of this.#held.splice(0)) take()
  }

  /** Takes an event that ends the step once the arguments of all calls are complete. */
  #afterCalls(callId: string, take: () => void): void {
    if (this.#blocks.isInCall) this.#held.push({ callId, take })
    else take()
  }

  #putProgress({ callId, text: detail }: EventOf<'tool_progress'>, number: number): void {
    this.settle()
    const { id, name } = this.#findOpen(callId, { number, field: 'tool_progress.callId' })
    const { agent } = this.state
    this.emit({ type: 'tool_status', agent, callId: id, name, stage: 'progress', detail })
  }

  #putResult({ callId, text = '', content, isError }: ResultEvent, number: number): void {
    this.settle()
    const call = this.#findOpen(callId, { number, field: 'tool_result.callId' })
    this.putAnswer(call, fromResultContent(content ?? text, isError))
  }

  #wait(calls: readonly unknown[], reason: 'frontend' | 'approval', number: number): void {
    this.settle()
    const type = reason === 'frontend' ? 'awaiting_frontend_tools' : 'awaiting_approval'
    for (const callId of calls) {
      if (typeof callId !== 'string')
        throw refusal(number, `\`${type}.calls\` must hold ids of calls, got ${typeof callId}`)
      this.waits.set(this.#findOpen(callId, { number, field: `${type}.calls` }).id, reason)
    }
  }

  #isOpen(callId: string): boolean {
    const id = this.idOf(callId)
    return openCalls(this.state.turn).some((call) => call.id === id)
  }

  #findOpen(
    callId: string,
    { number, field }: { readonly number: number; readonly field: string },
  ) {
    const id = this.idOf(callId)
    const call = openCalls(this.state.turn).find((one) => one.id === id)
    if (call !== undefined) return call
    const name = JSON.stringify(callId.slice(0, 80))
    throw refusal(number, `\`${field}\` is ${name}, but no call with this id waits for a result`)
  }

  /** Makes a message of the results of the last calls, once all are there. */
  #closeAnswered(): void {
    const { turn } = this.state
    if (turn !== undefined && openCalls(turn).length === 0)
      this.state = closeTurn(this.state, NOT_ANSWERED)
  }

  /**
   * Returns the state to store: of a run that is repeated, the one it began with, the results of its calls, and the ids of the calls that
   * were shown since.
   */
  #toStored(): AgentState {
    const start = this.#start
    if (start === undefined) return this.state
    const { steps, usage } = this.state
    const unlistedCalls = [...(start.unlistedCalls ?? []), ...this.#shown]
    const { turn } = start
    const answered = turn && { turn: { ...turn, results: [...turn.results, ...this.#given] } }
    return { ...start, steps, usage, unlistedCalls, ...answered }
  }
}
