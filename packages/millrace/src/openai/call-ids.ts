/** Gives every call of a conversation an id of its own. */
export class CallIds {
  readonly #createId: () => string
  readonly #used: Set<string>

  /** `createId` makes an id for a call whose provider gave none, or one that was used before. */
  constructor(createId: () => string, used: Iterable<string>) {
    this.#createId = createId
    this.#used = new Set(used)
  }

  /** The id that the provider gave, if no other call has it. */
  toFree(given: string): string {
    const id = given === '' || this.#used.has(given) ? this.#createId() : given
    this.#used.add(id)
    return id
  }
}
