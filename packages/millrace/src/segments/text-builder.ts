const BATCH_SIZE = 1024

/** Text built from small chunks. They are joined in batches, because keeping each until the end takes many times the memory of the text. */
export class TextBuilder {
  readonly #blocks: string[] = []
  #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length === BATCH_SIZE) this.#join()
  }

  toString(): string {
    this.#join()
    return this.#blocks.join('')
  }

  #join(): void {
    this.#blocks.push(this.#pieces.join(''))
    this.#pieces = []
  }
}
