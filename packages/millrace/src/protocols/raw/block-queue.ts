import { MillraceError } from '../../errors/index.ts'
import type { DialectFrame } from '../port/index.ts'

/** A block of a message while it is said. */
export interface QueuedBlock {
  /** Its place in the message. */
  readonly index: number
  add(frame: DialectFrame): void
  /** Takes the last frame of the block. */
  close(frame: DialectFrame): void
}

interface Entry {
  readonly held: DialectFrame[]
  isClosed: boolean
}

/**
 * Says blocks that may grow at the same time one after the other, as the Messages API does: the first that is open
 * streams, whatever begins meanwhile waits for its end.
 */
export class BlockQueue {
  readonly #say: (frame: DialectFrame) => void
  readonly #maxHeldLength: number
  /** In the order of their beginning; a set, so that the first leaves without a move of the others. */
  readonly #entries = new Set<Entry>()
  #first: Entry | undefined
  #heldLength = 0
  #count = 0

  constructor(say: (frame: DialectFrame) => void, maxHeldLength: number) {
    this.#say = say
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

  /** Begins another message, whose blocks are counted anew. */
  clear(): void {
    this.#entries.clear()
    this.#first = undefined
    this.#heldLength = 0
    this.#count = 0
  }

  #add(entry: Entry, frame: DialectFrame): void {
    if (entry === this.#first) return this.#say(frame)
    entry.held.push(frame)
    this.#heldLength += lengthOf(frame)
    if (this.#heldLength > this.#maxHeldLength) throw heldTooMuch(this.#maxHeldLength)
  }

  #close(entry: Entry, frame: DialectFrame): void {
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
      this.#say(frame)
    }
  }
}

/** What is said of a log that makes a writer keep too much. */
export function heldTooMuch(maxHeldLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `Blocks that wait for their turn hold more than ${maxHeldLength} characters; raise maxHeldLength to accept them.`,
  )
}

function lengthOf({ data = '' }: DialectFrame): number {
  return data.length
}
