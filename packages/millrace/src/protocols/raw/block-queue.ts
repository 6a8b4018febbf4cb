import { MillraceError } from '../../errors/index.ts'
import type { FormatFrame } from '../port/index.ts'

/** A block of a message while it is written. */
export interface QueuedBlock {
  /** Index in the message. */
  readonly index: number
  add(frame: FormatFrame): void
  /** Adds the last frame of the block. */
  close(frame: FormatFrame): void
}

interface Entry {
  readonly held: FormatFrame[]
  isClosed: boolean
}

/**
 * Writes blocks that grow at the same time one after the other, as in the Messages API: the first open block streams, and later ones are
 * held until it ends.
 */
export class BlockQueue {
  readonly #write: (frame: FormatFrame) => void
  readonly #maxHeldLength: number
  /** Blocks in the order of their start. A set, so that removing the first does not move the others. */
  readonly #entries = new Set<Entry>()
  #first: Entry | undefined
  #heldLength = 0
  #count = 0

  constructor(write: (frame: FormatFrame) => void, maxHeldLength: number) {
    this.#write = write
    this.#maxHeldLength = maxHeldLength
  }

  open(): QueuedBlock {
    const entry: Entry = { held: [], isClosed: false }
    this.#entries.add(entry)
    this.#first ??= entry
    return {
      index: this.#count++,
      add: (frame) => this.#add(entry, frame),
      close: (frame) => this.#close(entry, frame),
    }
  }

  /** Starts another message with new block indexes. */
  clear(): void {
    this.#entries.clear()
    this.#first = undefined
    this.#heldLength = 0
    this.#count = 0
  }

  #add(entry: Entry, frame: FormatFrame): void {
    if (entry === this.#first) return this.#write(frame)
    entry.held.push(frame)
    this.#heldLength += lengthOf(frame)
    if (this.#heldLength > this.#maxHeldLength) throw heldTooMuch(this.#maxHeldLength)
  }

  #close(entry: Entry, frame: FormatFrame): void {
    this.#add(entry, frame)
    entry.isClosed = true
    while (this.#first?.isClosed === true) this.#advance(this.#first)
  }

  #advance(done: Entry): void {
    this.#entries.delete(done)
    const [next] = this.#entries
    this.#first = next
    for (const frame of next?.held.splice(0) ?? []) {
      this.#heldLength -= lengthOf(frame)
      this.#write(frame)
    }
  }
}

/** Creates the error for a log whose held blocks exceed the maximum. */
function heldTooMuch(maxHeldLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `Held blocks have more than ${maxHeldLength} characters. Raise maxHeldLength to accept them.`,
  )
}

function lengthOf({ data = '' }: FormatFrame): number {
  return data.length
}

/** A call that is not written yet. */
export interface HeldCall {
  readonly callId: string
  readonly name: string
  /** The arguments as the model wrote them, or as the pause announced them. */
  readonly input: string
  /** Whether the call was interrupted. Such a call is written only with its result, so that no reader executes it. [LIFE-14] */
  readonly isInterrupted?: boolean
}

/** Holds the root's calls until it is known whether the server executes them, and the pending calls of all agents. */
export class CallIndex {
  readonly #maxHeldLength: number
  readonly #held = new Map<string, HeldCall>()
  readonly #waiting = new Map<string, HeldCall>()
  #heldLength = 0

  constructor(maxHeldLength: number) {
    this.#maxHeldLength = maxHeldLength
  }

  hold(call: HeldCall): void {
    this.#add(this.#held, call)
  }

  /** Removes and returns a held call; undefined for none. */
  release(callId: string): HeldCall | undefined {
    return this.#take(this.#held, callId)
  }

  releaseAll(): readonly HeldCall[] {
    const released = [...this.#held.keys()].flatMap((id) => this.release(id) ?? [])
    return released.filter(({ isInterrupted }) => isInterrupted !== true)
  }

  await(call: HeldCall): void {
    this.settle(call.callId)
    this.#add(this.#waiting, call)
  }

  /** Removes a pending call. */
  settle(callId: string): void {
    this.#take(this.#waiting, callId)
  }

  settleAll(): void {
    for (const id of this.#waiting.keys()) this.settle(id)
  }

  isWaiting(callId: string): boolean {
    return this.#waiting.has(callId)
  }

  waiting(): readonly HeldCall[] {
    return [...this.#waiting.values()]
  }

  #add(calls: Map<string, HeldCall>, call: HeldCall): void {
    calls.set(call.callId, call)
    this.#heldLength += call.input.length
    if (this.#heldLength > this.#maxHeldLength) throw heldTooMuch(this.#maxHeldLength)
  }

  #take(calls: Map<string, HeldCall>, callId: string): HeldCall | undefined {
    const call = calls.get(callId)
    calls.delete(callId)
    this.#heldLength -= call?.input.length ?? 0
    return call
  }
}
