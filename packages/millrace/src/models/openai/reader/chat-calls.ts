import type { CallDelta } from './call-delta.ts'
import type { CallIds } from './call-ids.ts'
import { ChatCall } from './chat-call.ts'
import type { MessageBlocks } from './message-blocks.ts'

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
