import { MillraceError } from '../../../errors/index.ts'

/** A user message while it is read. */
interface ReadWords {
  /** Recipient of the message; `question` for the prompt of the run. */
  readonly agent: string
  text: string
}

/** User messages, which are written when they are complete. */
export class OpenWords {
  readonly #open = new Map<string, ReadWords>()
  readonly #maxHeldLength: number
  #held = 0

  constructor(maxHeldLength: number) {
    this.#maxHeldLength = maxHeldLength
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  open(id: string, agent: string): void {
    this.#open.set(id, { agent, text: '' })
  }

  grow(id: string, delta: string): void {
    const words = this.#open.get(id)
    if (words === undefined) return
    this.#held += delta.length
    if (this.#held > this.#maxHeldLength) {
      throw new MillraceError(
        'frame_too_large',
        `Incomplete user messages have more than ${this.#maxHeldLength} characters. Raise maxHeldLength to accept them.`,
      )
    }
    words.text += delta
  }

  close(id: string): ReadWords {
    const words = this.#open.get(id) ?? { agent: 'question', text: '' }
    this.#open.delete(id)
    this.#held -= words.text.length
    return words
  }

  /** Drops the open messages to an agent that has ended. */
  drop(agent: string): void {
    for (const [id, words] of this.#open) if (words.agent === agent) this.close(id)
  }
}
