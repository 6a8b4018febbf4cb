import { MillraceError } from '../../../errors/index.ts'

/** Words of a person while they are read. */
interface ReadWords {
  /** Whom they were written to; `question` for those that began the run. */
  readonly agent: string
  text: string
}

/** The messages of people, which are told when they are whole. */
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
        `Messages of a user that are not whole are longer than ${this.#maxHeldLength} characters.`,
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

  /** Lets go of what was being said to an agent that has ended. */
  drop(agent: string): void {
    for (const [id, words] of this.#open) if (words.agent === agent) this.close(id)
  }
}
