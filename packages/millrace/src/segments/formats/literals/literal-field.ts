import type { CallWriter } from '../../calls/call-writer.ts'
import type { Sink } from '../../engine/step.ts'
import type { SegmentLimits } from '../../limits.ts'
import { toLiteralJson } from './literal-json.ts'
import type { LiteralSyntax } from './literal-syntax.ts'

/** One argument that is not a string: kept until it is whole, then written as JSON. A longer one than may be kept is a string. */
export class LiteralField implements Sink {
  readonly #call: CallWriter
  readonly #key: string
  readonly #limits: SegmentLimits
  #held = ''
  #isTooLong = false

  constructor(call: CallWriter, key: string, limits: SegmentLimits) {
    this.#call = call
    this.#key = key
    this.#limits = limits
  }

  text(piece: string): void {
    if (this.#isTooLong) this.#call.fieldText(piece)
    else this.#held += piece
    if (this.#held.length > this.#limits.maxHeld) this.#release()
  }

  /** The value is over; false if it is no literal, and a string therefore. */
  end(syntax: LiteralSyntax): boolean {
    const json = this.#isTooLong
      ? undefined
      : toLiteralJson(this.#held, syntax, this.#limits.maxDepth)
    if (json === undefined) this.#release()
    else {
      this.#call.beginField(this.#key, 'json')
      this.#call.fieldText(json)
    }
    this.#call.endField()
    return json !== undefined
  }

  /** The stream ended inside the value. */
  cut(): void {
    this.#release()
  }

  #release(): void {
    if (!this.#isTooLong) this.#call.beginField(this.#key, 'string')
    this.#isTooLong = true
    this.#call.fieldText(this.#held)
    this.#held = ''
  }
}
