import { JsonStringDecoder } from '../calls/json-string-decoder.ts'
import type { Sink, Step } from './step.ts'
import type { Tape } from './tape.ts'

/** Passes the decoded inside of a JSON string to a sink, from after its first quote. */
export class StringScan implements Step {
  /** The stream ended inside the string. */
  isCut = false
  /** The position after the closing quote. */
  position: number
  readonly #sink: Sink
  readonly #decoder = new JsonStringDecoder()

  constructor(sink: Sink, position: number) {
    this.#sink = sink
    this.position = position
  }

  advance(tape: Tape): boolean {
    const end = this.#decoder.feed(tape.text, this.position - tape.base)
    this.position = end === -1 ? tape.end : tape.base + end
    tape.pass(this.position, this.#sink, this.#decoder.decoded)
    if (end !== -1) return true
    this.isCut = tape.ended
    return tape.ended
  }
}
