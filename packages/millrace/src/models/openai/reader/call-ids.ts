import { followingCallId } from '../../../events/index.ts'

/** Assigns unique call ids within a conversation. */
export class CallIds {
  readonly #createId: () => string
  readonly #used: Set<string>

  /** `createId` creates an id for a call without one. */
  constructor(createId: () => string, used: Iterable<string>) {
    this.#createId = createId
    this.#used = new Set(used)
  }

  /** Returns the given id, or a following one if it is taken. [CALL-1] */
  assign(given: string): string {
    let id = given === '' ? this.#createId() : given
    while (this.#used.has(id)) id = followingCallId(id)
    this.#used.add(id)
    return id
  }
}
