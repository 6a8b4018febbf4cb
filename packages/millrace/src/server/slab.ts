const encoder = new TextEncoder()
/** UTF-8 takes no more for a unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3

/**
 * Gives small pieces of memory out of larger blocks: a block for each piece would cost more, most of it when garbage
 * is collected, than all that is done with the piece. One piece keeps its block in memory, so whatever shares a slab
 * should live about as long.
 */
export class Slab {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #used = 0

  constructor(blockBytes = 4_096) {
    this.#blockBytes = blockBytes
  }

  /** A piece of so many bytes, which are zero. */
  take(length: number): Uint8Array {
    if (!this.#makeRoom(length)) return new Uint8Array(length)
    return this.#block.subarray(this.#used, (this.#used += length))
  }

  /** The UTF-8 of a text. */
  encode(text: string): Uint8Array {
    if (!this.#makeRoom(text.length * MAX_BYTES_PER_UNIT)) return encoder.encode(text)
    const start = this.#used
    this.#used += encoder.encodeInto(text, this.#block.subarray(start)).written
    return this.#block.subarray(start, this.#used)
  }

  /** Begins another block if need be; false for what is too large to share one. */
  #makeRoom(length: number): boolean {
    if (length > this.#blockBytes / 2) return false
    if (length <= this.#block.length - this.#used) return true
    this.#block = new Uint8Array(this.#blockBytes)
    this.#used = 0
    return true
  }
}
