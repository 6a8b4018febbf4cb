/** Keeps surrogate pairs whole in a text that arrives in chunks cut anywhere. */
export class SurrogateJoiner {
  #highSurrogate = ''

  /** Adds a chunk and returns the text without a final high surrogate whose partner may follow. */
  take(piece: string): string {
    const text = this.#highSurrogate === '' ? piece : this.#highSurrogate + piece
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd800 && last <= 0xdbff
    this.#highSurrogate = isHalf ? text.slice(-1) : ''
    return isHalf ? text.slice(0, -1) : text
  }

  /** Returns the held surrogate without a partner. */
  flush(): string {
    const half = this.#highSurrogate
    this.#highSurrogate = ''
    return half
  }
}
