/** So many pieces are joined at a time. */
const PIECES = 1024

/**
 * Text that is put together from small pieces: they are joined on the way, since keeping each until the end
 * takes many times the memory of the text.
 */
export class GatheredText {
  readonly #blocks: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length === PIECES) this.#join()
  }

  /** All that was added. */
  toString(): string {
    this.#join()
    return this.#blocks.join('')
  }

  #join(): void {
    this.#blocks.push(this.#pieces.join(''))
    this.#pieces = []
  }
}
