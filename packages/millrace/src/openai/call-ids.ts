import { followingCallId } from '../events/index.ts'

/** Gives every call of a conversation an id of its own. */
export class CallIds {
  readonly #createId: () => string
  readonly #used: Set<string>

  /** `createId` makes an id for a call whose provider gave none. */
  constructor(createId: () => string, used: Iterable<string>) {
    this.#createId = createId
    this.#used = new Set(used)
  }

  /** The id that the provider gave, or one that follows it if another call has it. [CALL-1] */
  toFree(given: string): string {
    let id = given === '' ? this.#createId() : given
    while (this.#used.has(id)) id = followingCallId(id)
    this.#used.add(id)
    return id
  }
}
