/** Keeps surrogate pairs whole in a text that arrives in chunks cut anywhere. */
export class PairKeeper {
  #half = ''

  /** Adds a chunk and returns the text without a final high surrogate whose partner may follow. */
  take(piece: string): string {
    const text = this.#half === '' ? piece : this.#half + piece
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd800 && last <= 0xdbff
    this.#half = isHalf ? text.slice(-1) : ''
    return isHalf ? text.slice(0, -1) : text
  }

  /** Returns the held surrogate without a partner. */
  flush(): string {
    const half = this.#half
    this.#half = ''
    return half
  }
}
