import { MillraceError } from '../../../errors/index.ts'
import { type JsonValue, parseJsonOr } from '../../../json/index.ts'

/** A call without a result. */
export interface ReadCall {
  readonly agent: string
  readonly name: string
  readonly isServer: boolean
  input: string
}

/** Calls without results. Calls that are pending at the end of a run need their arguments again. */
export class ReadCalls {
  readonly #calls = new Map<string, ReadCall>()
  readonly #maxHeldLength: number
  #held = 0

  constructor(maxHeldLength: number) {
    this.#maxHeldLength = maxHeldLength
  }

  show(id: string, call: Omit<ReadCall, 'input'>): void {
    this.take(id)
    this.#calls.set(id, { ...call, input: '' })
  }

  grow(id: string, delta: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#held += delta.length
    if (this.#held > this.#maxHeldLength) {
      throw new MillraceError(
        'frame_too_large',
        `Calls without results hold more than ${this.#maxHeldLength} characters of arguments. Raise maxHeldLength to accept them.`,
      )
    }
    call.input += delta
  }

  /** Removes and returns a call, because it has its result. */
  take(id: string): ReadCall | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    this.#held -= call?.input.length ?? 0
    return call
  }

  find(id: string): ReadCall | undefined {
    return this.#calls.get(id)
  }

  /** Lists the client's own calls without results. */
  unanswered(): readonly string[] {
    return [...this.#calls].filter(([, { isServer }]) => !isServer).map(([id]) => id)
  }

  /** Removes the calls of an agent, which need no answer any more. */
  forget(agent: string): void {
    for (const [id, call] of this.#calls) if (call.agent === agent) this.take(id)
  }

  clear(): void {
    this.#calls.clear()
    this.#held = 0
  }
}

/** Parses arguments. Those that are not an object stay text. */
export function toInput(text: string): JsonValue {
  const value = parseJsonOr(text, text)
  return typeof value === 'object' && value !== null ? value : text
}

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
