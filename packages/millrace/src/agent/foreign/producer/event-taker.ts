import type { Prompt } from '../../../events/index.ts'
import { toPromptContent } from '../../prompt-content.ts'
import { openCalls, type Produced } from '../../state/index.ts'
import { closeTurn } from '../../subagents/close-agent.ts'
import type { LoopEvent } from '../loop-event.ts'
import type { RunWriter } from '../run-writer.ts'
import { notProduced } from './judge-request.ts'

/** Events that add to the current step. Each other event ends it. */
const content: ReadonlySet<LoopEvent['type']> = new Set([
  'text',
  'thinking',
  'block_end',
  'tool_input',
  'tool_call',
])

const waits: ReadonlySet<LoopEvent['type']> = new Set([
  'awaiting_approval',
  'awaiting_frontend_tools',
])

const NOT_ANSWERED = 'A message to the run came before a result of this call.'

/**
 * Passes the events of a producer to the writer of its run, and keeps those of the current step in the state: another server rolls the step
 * back and takes them again. A state that ends a step is stored with the frames that end it, so that no event is lost or repeated. [PROD-2]
 */
export class EventTaker {
  readonly writer: RunWriter
  #produced: Produced
  /** The events of the current step. */
  #unsettled: LoopEvent[] = []
  /** Those of them that are encoded, a text for each checkpoint. */
  #encoded: string[] = []
  #encodedCount = 0
  /** Events about calls that came while the arguments of another call were incomplete. */
  #held: LoopEvent[] = []
  readonly #growing = new Set<string>()
  #waits: LoopEvent[] = []
  #last: LoopEvent | undefined
  readonly #ids: Map<string, string>
  readonly #restoredIds: ReadonlyMap<string, string>

  constructor(writer: RunWriter) {
    const { produced = notProduced } = writer.state
    this.writer = writer
    this.#produced = produced
    this.#restoredIds = new Map(Object.entries(produced.ids ?? {}))
    this.#ids = new Map(this.#restoredIds)
  }

  get produced(): Produced {
    return this.#produced
  }

  /** Whether the producer has ended the run. */
  get isFinished(): boolean {
    return this.#last !== undefined
  }

  /** Whether the run is between two steps, with a result of each call. */
  get isBetweenSteps(): boolean {
    const isEmpty = this.#unsettled.length + this.#held.length === 0
    return isEmpty && openCalls(this.writer.state.turn).length === 0
  }

  /** Makes the sender of a request the producer. */
  open(opening: string): void {
    this.#produced = { ...this.#produced, epoch: this.#produced.epoch + 1, opening }
  }

  /** Takes the next event. */
  take(event: LoopEvent): void {
    this.#produced = { ...this.#produced, next: this.#produced.next + 1 }
    this.#apply(event)
  }

  /** Takes the events of an interrupted step again, as a state kept them. */
  repeat(events: readonly LoopEvent[]): void {
    for (const event of events) this.#apply(event)
  }

  /** Passes a message to the run on, between two steps. */
  addSteer(prompt: Prompt): void {
    const { writer } = this
    this.#produced = { ...this.#produced, steers: this.#produced.steers + 1 }
    const state =
      writer.state.turn === undefined ? writer.state : closeTurn(writer.state, NOT_ANSWERED)
    const message = { role: 'user', content: toPromptContent(prompt) } as const
    writer.state = { ...state, messages: [...state.messages, message] }
    this.#keep()
    writer.save()
    writer.emit({ type: 'user_message', agent: state.agent, prompt })
  }

  /** Stores the progress after a request. */
  save(): void {
    this.#keep()
    this.writer.save(this.writer.state, true)
  }

  /** Keeps the calls for which the run pauses: a server that takes over pauses it too. */
  keepWaits(): void {
    this.#keep()
  }

  #apply(event: LoopEvent): void {
    if (content.has(event.type)) this.#add(event)
    else if (event.type === 'end' || event.type === 'error') this.#finish(event)
    else if (this.#growing.size > 0) this.#held.push(event)
    else this.#settle(event)
  }

  #add(event: LoopEvent): void {
    this.#unsettled.push(event)
    if (event.type === 'tool_input') this.#growing.add(event.callId)
    this.#pass(event)
    if (event.type !== 'tool_call') return
    this.#growing.delete(event.callId)
    const id = this.writer.idOf(event.callId)
    if (id !== event.callId) this.#ids.set(event.callId, id)
    if (this.#growing.size === 0) this.#releaseHeld()
  }

  #releaseHeld(): void {
    for (;;) {
      const event = this.#held.shift()
      if (event === undefined) return
      this.#settle(event)
    }
  }

  /** Ends the current step before an event, which is then taken. The state after each has exactly the events that are not in it. */
  #settle(event: LoopEvent): void {
    const { writer } = this
    const isWait = waits.has(event.type)
    if (event.type !== 'step_end' && this.#unsettled.length > 0) {
      this.#clear()
      // A wait counts as taken only with its whole batch, at whose end the run pauses.
      if (isWait) this.#keep([], this.#produced.next - 1)
      else this.#keep([event])
      writer.settle()
    }
    this.#clear()
    if (isWait) {
      this.#waits.push(event)
      return this.#pass(event)
    }
    if (event.type === 'tool_result') this.#ids.delete(event.callId)
    this.#keep()
    // The progress of a tool changes no state, and is not reported again.
    if (event.type === 'tool_progress') writer.save()
    this.#pass(event)
  }

  /** Ends the run. Calls whose arguments are incomplete are dropped. */
  #finish(event: LoopEvent): void {
    this.#last = event
    this.#growing.clear()
    this.#clear()
    if (event.type === 'error') this.#held = []
    this.#keep()
    if (event.type === 'end') {
      this.writer.finish()
      this.#releaseHeld()
    }
    this.#keep()
    this.#pass(event)
  }

  #clear(): void {
    this.#unsettled = []
    this.#encoded = []
    this.#encodedCount = 0
  }

  /** Updates the state with the progress, and with the events that it does not contain; each is encoded once. */
  #keep(first: readonly LoopEvent[] = [], next = this.#produced.next): void {
    const fresh = this.#unsettled.slice(this.#encodedCount)
    if (fresh.length > 0) this.#encoded = [...this.#encoded, JSON.stringify(fresh)]
    this.#encodedCount = this.#unsettled.length
    const last = this.#last === undefined ? [] : [this.#last]
    const rest = [...first, ...this.#waits, ...this.#held, ...last]
    const memory = rest.length === 0 ? this.#encoded : [...this.#encoded, JSON.stringify(rest)]
    const { ids: _, ...produced } = this.#produced
    this.#produced =
      this.#ids.size === 0 ? produced : { ...produced, ids: Object.fromEntries(this.#ids) }
    const kept = { ...this.#produced, next }
    this.writer.state = { ...this.writer.state, memory, produced: kept }
  }

  /** Passes an event to the writer, which does not know the ids of calls before a crash or a pause. */
  #pass(event: LoopEvent): void {
    this.writer.take(this.#withKnownIds(event), this.#produced.next)
  }

  #withKnownIds(event: LoopEvent): LoopEvent {
    if (content.has(event.type)) return event
    if ('calls' in event) return { ...event, calls: event.calls.map(this.#idOf) }
    return 'callId' in event ? { ...event, callId: this.#idOf(event.callId) } : event
  }

  readonly #idOf = (callId: string): string => {
    const isKnown = this.writer.idOf(callId) !== callId
    return isKnown ? callId : (this.#restoredIds.get(callId) ?? callId)
  }
}
