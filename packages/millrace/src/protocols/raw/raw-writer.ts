import { type Envelope, isPauseReason } from '../../envelope/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import {
  createTeller,
  type DialectFrame,
  type DialectWriter,
  settledStages,
  type Telling,
  type TellingOf,
  type ToldBlock,
} from '../../telling/index.ts'
import { addCounts } from './add-counts.ts'
import { CallBook, type HeldCall } from './call-book.ts'
import { MessageWriter } from './message-writer.ts'
import { toStopReason } from './stop-reason.ts'

/** What a writer of messages is told. */
export interface RawWriterOptions {
  /** The `server_name` of tools that this server ran. */
  readonly serverName: string
  /** How many UTF-16 units may wait for their turn, or for it to show who runs a call. */
  readonly maxHeldLength: number
  /** Told of each message that the format cannot say, by its type. */
  readonly onOmit: (name: string) => void
}

/** What each telling of the root agent does to its message. */
type Deeds = {
  readonly [Type in Telling['type']]: (telling: TellingOf<Type>) => void
}

/** The stages at which it is certain that the server runs a call. */
const running: ReadonlySet<string> = new Set(['started', 'progress', 'succeeded', 'failed'])

/** Writes each part of a run as one message of its root agent. */
export class RawWriter implements DialectWriter {
  readonly #root: string
  readonly #options: RawWriterOptions
  readonly #teller
  readonly #message: MessageWriter
  readonly #calls: CallBook
  #usage: JsonObject = {}
  /** The model's part of a step is over, and nothing of the next has come. */
  #isStepOver = false
  /** The first of the messages that are being taken. */
  #id = 0

  constructor(root: string, options: RawWriterOptions) {
    this.#root = root
    this.#options = options
    this.#teller = createTeller(root)
    this.#message = new MessageWriter(() => `msg_${root}_${this.#id}`, options)
    this.#calls = new CallBook(options.maxHeldLength)
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    this.#id = id - (envelope.span ?? 1) + 1
    if (envelope.agent !== this.#root) this.#options.onOmit('messages of sub-agents')
    for (const telling of this.#teller.take(envelope, id)) this.#tell(telling)
    return this.#message.take()
  }

  /** Also a stream that came to its end may have left a message open: its run was lost. */
  finish(): readonly DialectFrame[] {
    for (const telling of this.#teller.finish()) this.#tell(telling)
    this.#message.cut()
    return this.#message.take()
  }

  #tell(telling: Telling): void {
    const { type, agent } = telling
    if (agent === this.#root) (this.#deeds[type] as (one: Telling) => void)(telling)
    else this.#overhear(telling)
  }

  /** Of sub-agents it counts what they used, and which of their calls wait for someone outside. [LIFE-12] */
  #overhear(telling: Telling): void {
    if (telling.type === 'awaiting') this.#await(telling)
    else if (telling.type === 'step_end') this.#count(telling)
    else if (telling.type === 'status') this.#settleStage(telling)
    else if (telling.type === 'result') this.#calls.settle(telling.toolUseId)
  }

  readonly #deeds: Deeds = {
    run_start: ({ info: { model } }) => {
      if (this.#message.isOpen) this.#endPart('end_turn')
      this.#calls.settleAll()
      this.#message.begin(typeof model === 'string' ? model : '')
    },
    block_start: ({ block }) => {
      if (this.#isStepOver) this.#moveOn()
      if (isProse(block)) this.#message.openProse(block)
    },
    block_delta: ({ block, delta }) => {
      if (isProse(block)) this.#message.addProse(block, delta)
    },
    block_end: (telling) => this.#endBlock(telling),
    result: (telling) => this.#answer(telling),
    status: (telling) => {
      this.#settleStage(telling)
      if (running.has(telling.stage)) this.#sayRun(telling.toolUseId)
      this.#options.onOmit('tool_status')
    },
    awaiting: (telling) => this.#await(telling),
    step_end: (telling) => {
      this.#count(telling)
      this.#isStepOver = true
    },
    rollback: ({ voided }) => this.#takeBack(voided),
    error: ({ info }) => {
      for (const call of this.#calls.releaseAll()) this.#message.addRunCall(call)
      this.#message.fail(info)
    },
    run_end: ({ info: { stop_reason: reason } }) =>
      this.#endPart(typeof reason === 'string' ? reason : 'end_turn'),
    steered: () => this.#options.onOmit('user_message'),
    files: () => this.#options.onOmit('meta_files'),
    compaction: () => this.#options.onOmit('meta_compaction'),
    summary: () => this.#options.onOmit('meta_final'),
    other: ({ envelope }) => this.#options.onOmit(envelope.type),
  }

  #endBlock({ block, citations, input, isInterrupted }: TellingOf<'block_end'>): void {
    const { toolUseId, name, type } = block
    if (isProse(block)) return this.#message.closeProse(block, citations)
    if (type !== 'server_tool_call') {
      this.#sayRun(toolUseId)
      this.#calls.hold({ toolUseId, name, input, isInterrupted })
    } else if (!isInterrupted) this.#message.addServerCall(block, input)
  }

  #answer(telling: TellingOf<'result'>): void {
    if (telling.isServer) return this.#message.addServerResult(telling)
    this.#calls.settle(telling.toolUseId)
    this.#sayRun(telling.toolUseId)
    this.#message.addResult(telling)
  }

  #await({ calls }: TellingOf<'awaiting'>): void {
    for (const { toolUseId, name, input } of calls) {
      this.#calls.await({ toolUseId, name, input: JSON.stringify(input ?? {}) })
    }
  }

  #count({ info: { usage } }: TellingOf<'step_end'>): void {
    if (isJsonObject(usage)) this.#usage = addCounts(this.#usage, usage)
  }

  #settleStage({ stage, toolUseId }: TellingOf<'status'>): void {
    if (settledStages.has(stage)) this.#calls.settle(toolUseId)
  }

  /** The model speaks again: calls before that were run, even if nobody told the results. */
  #moveOn(): void {
    this.#isStepOver = false
    for (const call of this.#calls.releaseAll()) this.#message.addRunCall(call)
  }

  /** Says a call that was held as one that the server runs. */
  #sayRun(toolUseId: string): void {
    const call = this.#calls.release(toolUseId)
    if (call !== undefined) this.#message.addRunCall(call)
  }

  /** Drops calls that were not written yet. Blocks that were stay in the message, and those of the next attempt follow. */
  #takeBack(voided: readonly ToldBlock[]): void {
    for (const { toolUseId } of voided) this.#calls.release(toolUseId)
  }

  /** Ends the message; what waits for the reader stands last in it. */
  #endPart(reason: string): void {
    const held = this.#calls.releaseAll()
    const isWaiting = ({ toolUseId }: HeldCall) => this.#calls.isWaiting(toolUseId)
    for (const call of held) if (!isWaiting(call)) this.#message.addRunCall(call)
    const waiting = isPauseReason(reason) ? this.#waitingCalls(held.filter(isWaiting)) : []
    for (const call of waiting) this.#message.addWaitingCall(call)
    this.#message.end(toStopReason(reason, waiting.length > 0), this.#usage)
    this.#usage = {}
  }

  /** The root's own calls as its model wrote them, then those of sub-agents, of which the announcement tells. */
  #waitingCalls(own: readonly HeldCall[]): readonly HeldCall[] {
    const ids = new Set(own.map(({ toolUseId }) => toolUseId))
    const others = this.#calls.waiting().filter(({ toolUseId }) => !ids.has(toolUseId))
    return [...own, ...others]
  }
}

function isProse({ type }: ToldBlock): boolean {
  return type === 'text' || type === 'thinking'
}
