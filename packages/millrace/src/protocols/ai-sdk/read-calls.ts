import type { Extras } from '../../events/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import type { Reading } from './reading.ts'
import { fromOutput, type ToolOutput } from './tool-output.ts'

interface ReadCall {
  readonly agent: string
  readonly name: string
  readonly isServer: boolean
  readonly fields: Extras
  /** Whether it is a part of the message, not only data. */
  isPart: boolean
  isWhole: boolean
  isAnswered: boolean
  isTextual: boolean
  /** Whether it is a part of the message but not pending in the page. */
  isHeld: boolean
  input: JsonValue
  /** A preliminary output, which a later one replaces. */
  preliminary?: JsonValue
}

interface CallHead {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly isServer?: boolean
  readonly isPart?: boolean
  /** Whether the pieces of its input are text instead of JSON. */
  readonly isTextual?: boolean
  /** Whether the call was implied by its result. */
  readonly isImplied?: boolean
  readonly fields?: Extras
}

/** Result of a call. */
interface CallResult {
  readonly output?: ToolOutput
  readonly value?: JsonValue
  readonly isError: boolean
  /** Whether the result was interrupted. [LIFE-14] */
  readonly isInterrupted?: boolean
  /** Name of the result of a provider's tool. */
  readonly resultName?: string
}

/** Maximum number of calls of a message. */
const MAX_CALLS = 10_000

/** Calls of a message that is being read. */
export class ReadCalls {
  readonly #reading: Reading
  readonly #calls = new Map<string, ReadCall>()
  readonly #judged = new Set<string>()

  constructor(reading: Reading) {
    this.#reading = reading
  }

  clear(): void {
    this.#calls.clear()
    this.#judged.clear()
  }

  /** Starts a call, or makes it a part of the message if it was only data before. */
  start(head: CallHead): void {
    const { id, name, agent, isServer = false, isPart = true, isTextual = false } = head
    const { fields = {}, isImplied = false } = head
    const known = this.#calls.get(id)
    if (known !== undefined) {
      known.isPart ||= isPart
      return
    }
    if (this.#calls.size >= MAX_CALLS) throw tooMany()
    this.#reading.resume(agent)
    const state = { isWhole: isImplied && isServer, isAnswered: false, isHeld: false, input: {} }
    this.#calls.set(id, { agent, name, isServer, isPart, isTextual, fields, ...state })
  }

  grow(id: string, delta: string): void {
    const call = this.#calls.get(id)
    if (call === undefined || call.isWhole || call.isTextual) return
    this.#reading.grow(keyOf(id), blockOf(id, call), delta)
  }

  /** Ends the input. Pieces that were read take precedence over the value. */
  end(id: string, input: JsonValue, isInterrupted = false): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    call.input = input
    // A repeated call is pending again: in the browser, after its approval.
    call.isHeld = false
    if (call.isWhole) return
    call.isWhole = true
    const isPieced = this.#reading.isOpen(keyOf(id))
    const text = typeof input === 'string' && !call.isTextual ? input : JSON.stringify(input)
    this.#reading.end(keyOf(id), blockOf(id, call), isPieced ? '' : text, isInterrupted)
  }

  judge(id: string): void {
    this.#judged.add(id)
  }

  /** Marks a call as running, or as waiting only for calls of sub-agents. */
  pass(id: string): void {
    const call = this.#calls.get(id)
    if (call !== undefined) call.isHeld = true
  }

  hold(id: string, output: JsonValue): void {
    const call = this.#calls.get(id)
    if (call !== undefined && !call.isAnswered) call.preliminary = output
  }

  answer(id: string, result: CallResult): void {
    const { output, value, isError, isInterrupted = false, resultName } = result
    const call = this.#calls.get(id) ?? this.#invent(id)
    if (call.isAnswered) return
    this.end(id, call.input)
    call.isAnswered = true
    this.#judged.delete(id)
    const { agent, name, isServer } = call
    const failed = isError ? { is_error: true } : {}
    if (isServer) {
      const cut = isInterrupted ? { interrupted: true } : {}
      const extras = { id, name: resultName ?? `${name}_tool_result`, ...failed, ...cut }
      this.#reading.add('server_tool_result', agent, JSON.stringify(value ?? null), extras)
      return
    }
    if (agent === this.#reading.root) this.#reading.endStep()
    this.#addResult(agent, output ?? fromOutput(value), { id, name, ...failed }, isInterrupted)
  }

  /** Removes the calls of a rollback. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#calls.delete(id)
  }

  /** Answers calls whose preliminary output was never replaced. */
  settle(): void {
    for (const [id, { preliminary }] of this.#calls)
      if (preliminary !== undefined) this.answer(id, { value: preliminary, isError: false })
  }

  /** Writes the pending calls of one agent or of all, and returns the stop reason; undefined for none. */
  await(agent?: string): string | undefined {
    const waiting = [...this.#calls].filter(
      ([, call]) => isWaiting(call) && (agent ?? call.agent) === call.agent,
    )
    const agents = new Set(waiting.map(([, call]) => call.agent))
    let reason: string | undefined
    for (const who of agents) {
      const own = waiting.filter(([, call]) => call.agent === who)
      const judged = own.filter(([id]) => this.#judged.has(id)).map(toAwaited)
      const asked = own.filter(([id]) => !this.#judged.has(id)).map(toAwaited)
      this.#reading.close(who)
      if (judged.length > 0) this.#reading.add('awaiting_approval', who, judged)
      if (asked.length > 0) this.#reading.add('awaiting_frontend_tools', who, asked)
      reason = asked.length > 0 ? 'awaiting_frontend_tools' : (reason ?? 'awaiting_approval')
    }
    return reason
  }

  /** Answers pending calls with empty results. Their real answers are not part of a stream that continues after a pause. */
  skipAnswers(): void {
    for (const [id, call] of this.#calls) {
      if (isWaiting(call)) this.answer(id, { output: { text: '', images: [] }, isError: false })
    }
  }

  #addResult(
    agent: string,
    { text, images }: ToolOutput,
    fields: Extras,
    isInterrupted: boolean,
  ): void {
    const cut = isInterrupted ? { ...fields, interrupted: true } : fields
    if (images.length === 0) return this.#reading.add('tool_result', agent, text, cut)
    const key = `result ${toText(fields['id'])}`
    const block = { type: 'tool_result', agent, fields }
    this.#reading.grow(key, block, text)
    if (text === '') this.#reading.addPart('tool_result', agent, fields)
    for (const { src, mediaType } of images)
      this.#reading.addPart('tool_result_image', agent, { ...fields, src, media_type: mediaType })
    this.#reading.end(key, block, '', isInterrupted)
  }

  /** Adds a call for a result without one. */
  #invent(id: string): ReadCall {
    this.start({ id, name: 'unknown', agent: this.#reading.root })
    this.end(id, {})
    const call = this.#calls.get(id)
    if (call === undefined) throw tooMany()
    return call
  }
}

function isWaiting({ isPart, isAnswered, isServer, isHeld }: ReadCall): boolean {
  return isPart && !isAnswered && !isServer && !isHeld
}

function toAwaited([id, { name, input }]: readonly [string, ReadCall]): JsonObject {
  return { tool_use_id: id, name, input }
}

function keyOf(id: string): string {
  return `call ${id}`
}

function blockOf(id: string, { agent, name, isServer, fields }: ReadCall) {
  const type = isServer ? 'server_tool_call' : 'tool_call'
  return { agent, type, fields: { id, name, ...fields } }
}

function tooMany(): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `A message has more than ${MAX_CALLS} calls. Check the format of the stream.`,
  )
}
