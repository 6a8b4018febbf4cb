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
export function heldTooMuch(maxHeldLength: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `Held blocks have more than ${maxHeldLength} characters. Raise maxHeldLength to accept them.`,
  )
}

function lengthOf({ data = '' }: FormatFrame): number {
  return data.length
}
