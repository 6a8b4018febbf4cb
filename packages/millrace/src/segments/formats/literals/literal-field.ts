import type { CallWriter } from '../../calls/call-writer.ts'
import type { Sink } from '../../engine/step.ts'
import type { SegmentLimits } from '../../limits.ts'

/** One argument that is not a string: kept until it is whole, then written as JSON. A longer one than may be kept is a string. */
export class LiteralField implements Sink {
  readonly #call: CallWriter
  readonly #key: string
  readonly #maxHeld: number
  #held = ''
  #isTooLong = false

  constructor(call: CallWriter, key: string, { maxHeld }: SegmentLimits) {
    this.#call = call
    this.#key = key
    this.#maxHeld = maxHeld
  }

  text(piece: string): void {
    if (this.#isTooLong) this.#call.fieldText(piece)
    else this.#held += piece
    if (this.#held.length > this.#maxHeld) this.#release()
  }

  /** The value is over; false if it cannot be written as JSON, and is a string therefore. */
  end(toJson: (text: string) => string | undefined): boolean {
    const json = this.#isTooLong ? undefined : toJson(this.#held)
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
