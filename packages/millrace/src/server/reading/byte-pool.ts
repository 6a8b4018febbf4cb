const encoder = new TextEncoder()
/** UTF-8 takes no more for a unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3

/**
 * Gives small chunks of memory out of larger blocks: a block for each chunk would cost more, most of it when garbage
 * is collected, than all that is done with the chunk. One chunk keeps its block in memory, so whatever shares a pool
 * should live about as long.
 */
export class BytePool {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #used = 0

  constructor(blockBytes = 4_096) {
    this.#blockBytes = blockBytes
  }

  /** The block that {@link reserve} has last told a place in. */
  get block(): Uint8Array {
    return this.#block
  }

  /** Sets so many bytes aside and tells where they begin in the block; what is large has a block of its own. */
  reserve(length: number): number {
    if (length > this.#block.length - this.#used) {
      const isLarge = length > this.#blockBytes / 2
      this.#block = new Uint8Array(isLarge ? length : this.#blockBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    return start
  }

  /** The UTF-8 of a text. */
  encode(text: string): Uint8Array {
    const room = text.length * MAX_BYTES_PER_UNIT
    if (room > this.#blockBytes / 2) return encoder.encode(text)
    const start = this.reserve(room)
    const block = this.#block
    const end = start + encoder.encodeInto(text, block.subarray(start)).written
    this.#used = end
    return block.subarray(start, end)
  }
}
