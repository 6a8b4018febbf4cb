import type { CallWriter } from '../../calls/call-writer.ts'
import type { Sink } from '../../engine/scan/step.ts'
import type { SegmentLimits } from '../../limits.ts'

/**
 * One argument that is not a string: held until it is complete, then written as JSON. An argument over the limit
 * is a string.
 */
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

  /** Ends the value; returns false if it cannot be written as JSON and is therefore a string. */
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

  /** Records that the stream ended inside the value. */
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
