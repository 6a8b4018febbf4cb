const encoder = new TextEncoder()
/** The most bytes of UTF-8 that one UTF-16 code unit takes. */
const MAX_BYTES_PER_UNIT = 3

/**
 * Allocates small byte arrays from larger blocks. An ArrayBuffer for each would cost more, mostly in garbage collection, than all
 * other work on it. An array keeps its block in memory, so arrays from one pool should have similar lifetimes.
 */
export class BytePool {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #used = 0

  constructor(blockBytes = 4_096) {
    this.#blockBytes = blockBytes
  }

  /** The block of the last {@link reserve}. */
  get block(): Uint8Array {
    return this.#block
  }

  /** Reserves bytes and returns their offset in {@link block}. Large arrays get a block of their own. */
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
