import {
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  createCollector,
  isOfProvider,
  isPauseReason,
  type PauseEvent,
  type Piece,
  type StatusEvent,
  type StreamEvent,
  wireTypeOf,
} from '../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import {
  type EventFormat,
  type EventWriter,
  type FormatFrame,
  settledStages,
} from '../port/index.ts'
import { CallIndex, type HeldCall } from './block-queue.ts'
import { MessageWriter } from './message-writer.ts'

/** Options of {@link RawWriter}. */
interface RawWriterOptions {
  /** The `server_name` of tools that this server executed. */
  readonly serverName: string
  /** Maximum length of held blocks and calls, in UTF-16 units. */
  readonly maxHeldLength: number
  /** Called for each frame that the format cannot express, with its type. */
  readonly onOmit: (name: string) => void
}

/** Handlers of the root agent's events, by type. */
type Handlers = {
  readonly [Type in CollectedEvent['type']]?: (event: CollectedEventOf<Type>) => void
}

/** Stages that prove that the server executes a call. */
const running: ReadonlySet<string> = new Set(['started', 'progress', 'succeeded', 'failed'])

/** Writes each part of a run as one message of its root agent. */
class RawWriter implements EventWriter {
  readonly #root: string
  readonly #options: RawWriterOptions
  readonly #collector = createCollector()
  readonly #message: MessageWriter
  readonly #calls: CallIndex
  #usage: JsonObject = {}
  /** Whether the model call of a step has ended, without output of the next. */
  #isStepOver = false
  /** Id of the first frame of the current event. */
  #id = 0

  constructor(root: string, options: RawWriterOptions) {
    this.#root = root
    this.#options = options
    this.#message = new MessageWriter(() => `msg_${root}_${this.#id}`, options)
    this.#calls = new CallIndex(options.maxHeldLength)
  }

  write(event: StreamEvent): readonly FormatFrame[] {
    this.#id = event.id - event.span + 1
    if (event.agent !== this.#root) this.#options.onOmit('messages of sub-agents')
    for (const collected of this.#collector.take(event)) this.#take(collected)
    return this.#message.take()
  }

  /** Ends the stream. A complete stream may also have an open message, because its run was lost. */
  finish(): readonly FormatFrame[] {
    for (const collected of this.#collector.finish()) this.#take(collected)
    this.#message.cut()
    return this.#message.take()
  }

  #take(event: CollectedEvent): void {
    const { type, agent } = event
    if (agent !== this.#root) return this.#takeOther(event)
    const handle = this.#handlers[type] as ((one: CollectedEvent) => void) | undefined
    if (handle === undefined) this.#options.onOmit(wireTypeOf(event))
    else handle(event)
  }

  /** Counts the usage of sub-agents, and follows their calls that are pending outside of the server. [LIFE-12] */
  #takeOther(event: CollectedEvent): void {
    if (event.type === 'step_end') this.#count(event)
    else if (event.type === 'tool_status') this.#settleStage(event)
    else if ('calls' in event) this.#await(event)
    else if ('images' in event) this.#calls.settle(event.callId)
  }

  readonly #handlers: Handlers = {
    run_start: ({ model = '' }) => {
      if (this.#message.isOpen) this.#endPart('end_turn')
      this.#calls.settleAll()
      this.#message.begin(model)
    },
    text: (piece) => this.#takeProse(piece),
    thinking: (piece) => this.#takeProse(piece),
    tool_call: (piece) => this.#takeCall(piece),
    server_tool_call: (piece) => this.#takeCall(piece),
    tool_result: (result) => {
      this.#calls.settle(result.callId)
      this.#writeRun(result.callId)
      this.#message.addResult(result)
    },
    server_tool_result: (result) => this.#message.addServerResult(result),
    tool_status: (event) => {
      this.#settleStage(event)
      if (running.has(event.stage)) this.#writeRun(event.callId)
      this.#options.onOmit('tool_status')
    },
    awaiting_frontend_tools: (event) => this.#await(event),
    awaiting_approval: (event) => this.#await(event),
    step_end: (event) => {
      this.#count(event)
      this.#isStepOver = true
    },
    rollback: ({ voided }) => this.#rollBack(voided),
    error: ({ payload }) => {
      for (const call of this.#calls.releaseAll()) this.#message.addRunCall(call)
      this.#message.fail(payload)
    },
    run_end: ({ stopReason = 'end_turn' }) => this.#endPart(stopReason),
  }

  #takeProse(piece: CollectedProse): void {
    if (piece.start && this.#isStepOver) this.#moveOn()
    this.#message.addProse(piece)
  }

  #takeCall(piece: CollectedCall): void {
    const { type, callId, name, input = '', interrupted: isInterrupted } = piece
    if (piece.start && this.#isStepOver) this.#moveOn()
    if (!piece.end) return
    if (!isOfProvider(type)) {
      this.#writeRun(callId)
      this.#calls.hold({ callId, name, input, isInterrupted })
    } else if (!isInterrupted) this.#message.addServerCall(piece)
  }

  #await({ calls }: PauseEvent): void {
    for (const { callId, name, input } of calls) {
      this.#calls.await({ callId, name, input: JSON.stringify(input ?? {}) })
    }
  }

  #count({ usage }: CollectedEventOf<'step_end'>): void {
    if (isJsonObject(usage)) this.#usage = addCounts(this.#usage, usage)
  }

  #settleStage({ stage, callId }: StatusEvent): void {
    if (settledStages.has(stage)) this.#calls.settle(callId)
  }

  /** Writes the held calls when the model continues: they were executed, even if no result was recorded. */
  #moveOn(): void {
    this.#isStepOver = false
    for (const call of this.#calls.releaseAll()) this.#message.addRunCall(call)
  }

  /** Writes a held call as a call that the server executes. */
  #writeRun(callId: string): void {
    const call = this.#calls.release(callId)
    if (call !== undefined) this.#message.addRunCall(call)
  }

  /** Drops calls that are not written yet. Written blocks stay in the message, and those of the next attempt follow. */
  #rollBack(voided: readonly Piece[]): void {
    for (const piece of voided) if ('callId' in piece) this.#calls.release(piece.callId)
  }

  /** Ends the message. Its last blocks are the calls that the reader must answer. */
  #endPart(reason: string): void {
    const held = this.#calls.releaseAll()
    const isWaiting = ({ callId }: HeldCall) => this.#calls.isWaiting(callId)
    for (const call of held) if (!isWaiting(call)) this.#message.addRunCall(call)
    const waiting = isPauseReason(reason) ? this.#waitingCalls(held.filter(isWaiting)) : []
    for (const call of waiting) this.#message.addWaitingCall(call)
    this.#message.end(toStopReason(reason, waiting.length > 0), this.#usage)
    this.#usage = {}
  }

  /** Lists the root's own calls as its model wrote them, then those of sub-agents as the pause announced them. */
  #waitingCalls(own: readonly HeldCall[]): readonly HeldCall[] {
    const ids = new Set(own.map(({ callId }) => callId))
    const others = this.#calls.waiting().filter(({ callId }) => !ids.has(callId))
    return [...own, ...others]
  }
}

/** Adds usage: numbers are added, objects are merged member by member, other values are replaced by the later one. */
function addCounts(one: JsonObject, other: JsonObject): JsonObject {
  const sum: Record<string, JsonValue> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = Object.hasOwn(sum, name) ? sum[name] : undefined
    if (value !== null) sum[name] = addValues(before, value)
  }
  return sum
}

function addValues(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof before === 'number' && typeof value === 'number') return before + value
  return isJsonObject(before) && isJsonObject(value) ? addCounts(before, value) : value
}

/** Stop reasons of the Messages API by those of chat completions. */
const foreignReasons: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

/**
 * Converts a stop reason to the Messages API. Unknown reasons, such as `aborted`, stay unchanged: readers treat them as an end. A pause
 * without a call that the reader could answer becomes a pause of the server.
 */
function toStopReason(reason: string, hasWaiting: boolean): string {
  if (isPauseReason(reason)) return hasWaiting ? 'tool_use' : 'pause_turn'
  return foreignReasons.get(reason) ?? reason
}

/** Options of the Messages API format. */
export type RawFormatOptions = Partial<RawWriterOptions>

/**
 * Creates a stream of the Messages API, which the official SDK accumulates. Each part of a run, up to its end or a pause, is one message of
 * the root agent. Tools that the server executed are `mcp_tool_use` and `mcp_tool_result`; calls that the reader must answer are
 * `tool_use`.
 */
export function rawFormat({
  serverName = 'millrace',
  maxHeldLength = 64 * 1024 * 1024,
  onOmit = () => {},
}: RawFormatOptions = {}): EventFormat {
  return {
    name: 'raw',
    reads: 'events',
    headers: {},
    done: undefined,
    open: (root) => new RawWriter(root, { serverName, maxHeldLength, onOmit }),
  }
}
