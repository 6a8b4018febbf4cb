import { type MessageBlocks, toOwnFields } from './message-blocks.ts'
import {
  createPartialJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  type PartialJson,
} from '../../../json/index.ts'
import { type ContentBlock, followingCallId } from '../../../events/index.ts'
import type { OpenBlock } from '../../stream/index.ts'

interface CallDelta {
  /** The index of the call in the message. Some servers omit it, some send 0 for all calls. */
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** The next part of the arguments as JSON text. */
  readonly text: string
  /** Other fields of the call, such as `extra_content`, which must be sent back. */
  readonly extra: JsonObject | undefined
}

const knownFields: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function'])

/** Reads an entry of `tool_calls`. Returns undefined for an invalid entry. */
export function readCallDelta(entry: JsonValue): CallDelta | undefined {
  if (!isJsonObject(entry)) return undefined
  const { index, id, function: given } = entry
  const { name, arguments: values } = isJsonObject(given) ? given : {}
  const extra = Object.entries(entry).filter(
    ([field, value]) => !knownFields.has(field) && value !== null,
  )
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    text: toJsonText(values),
    extra: extra.length === 0 ? undefined : Object.fromEntries(extra),
  }
}

/** Converts arguments to JSON text. Some servers send them as a complete object. */
function toJsonText(values: JsonValue | undefined): string {
  if (typeof values === 'string') return values
  return isJsonObject(values) ? JSON.stringify(values) : ''
}

/** Assembles the calls of a message from their deltas, for servers with inconsistent indexes and ids. */
export class ChatCalls {
  readonly #blocks: MessageBlocks
  readonly #ids: CallIds
  /** The current call of each index, ended or not. */
  readonly #byIndex = new Map<number, ChatCall>()
  /** The open calls in start order. */
  readonly #open = new Set<ChatCall>()
  #last: ChatCall | undefined
  hasEnded = false

  constructor(blocks: MessageBlocks, ids: CallIds) {
    this.#blocks = blocks
    this.#ids = ids
  }

  take(delta: CallDelta): void {
    const known = this.#find(delta)
    const call = known === undefined || startsAnotherCall(known, delta) ? this.#begin(delta) : known
    if (!call.ended) return call.take(delta)
    if (delta.text.trim() !== '') {
      this.#blocks.note('Arguments for a call that had ended were ignored.', {
        arguments: delta.text,
      })
    }
  }

  /** Ends the calls with complete arguments, because the model has started other content. */
  endComplete(): void {
    if (this.#open.size === 0) return
    for (const call of this.#open) if (call.isComplete) this.#end(call)
  }

  /** Ends the calls. With `isCut`, a call with incomplete arguments stays open. */
  finish(isCut: boolean): void {
    for (const call of this.#open) if (call.isComplete || !isCut) this.#end(call)
  }

  #find({ index, id }: CallDelta): ChatCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index)
    if (id === '') return this.#last
    for (const call of this.#open) if (call.id === id) return call
    return this.#last?.id === '' ? this.#last : undefined
  }

  #begin({ index }: CallDelta): ChatCall {
    this.endComplete()
    this.#blocks.endProse()
    const call = new ChatCall(this.#blocks, (given) => this.#ids.assign(given))
    this.#open.add(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    this.#last = call
    return call
  }

  #end(call: ChatCall): void {
    this.#open.delete(call)
    call.end()
    this.hasEnded ||= call.name !== ''
  }
}

/**
 * Checks whether a delta starts another call at the same position. Some servers send index 0 for every call, some no
 * index, some no id, and some a new id with every delta. A name is sent once for a call, or again with its id.
 */
function startsAnotherCall(call: ChatCall, { id, name, text }: CallDelta): boolean {
  const isOtherId = id !== '' && call.id !== '' && id !== call.id
  if (name === '') return call.isComplete && isOtherId && text.trimStart().startsWith('{')
  if (call.name === '') return false
  if (id !== '' && call.id !== '') return isOtherId
  return name !== call.name || call.isComplete
}

/** Assigns unique call ids within a conversation. */
export class CallIds {
  readonly #createId: () => string
  readonly #used: Set<string>

  /** `createId` creates an id for a call without one. */
  constructor(createId: () => string, used: Iterable<string>) {
    this.#createId = createId
    this.#used = new Set(used)
  }

  /** Returns the given id, or a following one if it is taken. [CALL-1] */
  assign(given: string): string {
    let id = given === '' ? this.#createId() : given
    while (this.#used.has(id)) id = followingCallId(id)
    this.#used.add(id)
    return id
  }
}

/** A call of the message, from its first delta to its end. */
class ChatCall {
  /** The provider's id. Later deltas may refer to it. */
  id = ''
  name = ''
  ended = false
  readonly #blocks: MessageBlocks
  readonly #createId: (given: string) => string
  /** Parses the arguments, to detect when they are complete. */
  readonly #json: PartialJson = createPartialJson()
  #open: OpenBlock | undefined
  /** Arguments received before the name. */
  #early = ''
  #extra: JsonObject | undefined

  constructor(blocks: MessageBlocks, createId: (given: string) => string) {
    this.#blocks = blocks
    this.#createId = createId
  }

  get isComplete(): boolean {
    return this.#json.status === 'complete' && isJsonObject(this.#json.value)
  }

  get isEmpty(): boolean {
    return this.#json.length === 0
  }

  take({ id, name, text, extra }: CallDelta): void {
    if (this.id === '') this.id = id
    if (this.name === '') this.name = name
    if (extra !== undefined) this.#extra = { ...this.#extra, ...extra }
    this.#json.feed(text)
    if (this.name === '') this.#early += text
    else this.#blocks.append(this.#begin(), text)
  }

  /** Ends the call. Adds a notice if its arguments are not a JSON object. */
  end(): void {
    this.ended = true
    if (this.name === '') {
      this.#blocks.note('A call without a name was ignored.', { arguments: this.#early })
      return
    }
    const open = this.#begin()
    if (open.text === '') this.#blocks.append(open, '{}')
    // Input that the partial parser rejected, such as very deep nesting, may still be an object.
    const input = this.isComplete ? this.#json.value : parseJsonObject(open.text)
    if (input === undefined) {
      const message = `The input of ${this.name} is not a JSON object; its text is kept as the model wrote it.`
      this.#blocks.note(message)
    }
    this.#blocks.end(open, this.#toContent(open, isJsonObject(input) ? input : {}), open.text)
  }

  #toContent({ start }: OpenBlock, input: JsonObject): ContentBlock {
    const own = this.#extra === undefined ? {} : toOwnFields(start, this.#extra)
    return { ...start, input, ...own }
  }

  #begin(): OpenBlock {
    if (this.#open !== undefined) return this.#open
    const { name } = this
    const id = this.#createId(this.id)
    this.#open = this.#blocks.open('tool_call', { type: 'tool_use', id, name, input: {} })
    this.#blocks.append(this.#open, this.#early)
    this.#early = ''
    return this.#open
  }
}
