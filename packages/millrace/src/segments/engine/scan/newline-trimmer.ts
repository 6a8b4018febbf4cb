import type { Sink } from './step.ts'

const LEADING = /^\r?\n/
const TRAILING = /\r?\n$|\r$/

/** Drops one line break at the start of a value and one at its end, independent of chunk boundaries. */
export class NewlineTrimmer implements Sink {
  readonly #sink: Sink
  #held = ''
  #begun = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  text(piece: string): void {
    let text = this.#held + piece
    this.#held = ''
    if (!this.#begun && text !== '\r') {
      text = text.replace(LEADING, '')
      this.#begun = true
    }
    const trailing = TRAILING.exec(text)
    if (trailing !== null) {
      this.#held = trailing[0]
      text = text.slice(0, trailing.index)
    }
    if (text !== '') this.#sink.text(text)
  }

  /** Ends the value; a value that was cut keeps the held line break. */
  finish(isWhole: boolean): void {
    const held = this.#held
    this.#held = ''
    if (held !== '' && (!isWhole || held === '\r')) this.#sink.text(held)
  }
}
