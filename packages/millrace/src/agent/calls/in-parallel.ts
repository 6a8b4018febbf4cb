interface Arrival<Value> {
  readonly stream: AsyncIterator<Value, void>
  readonly step: IteratorResult<Value, void> | { readonly error: unknown }
}

/**
 * Reads the streams of several items in parallel, at most `limit` at a time, and yields their values, one at a time from each. Ends when
 * all have ended and no item is left.
 */
export class InParallel<Item, Value> {
  readonly #waiting: Item[]
  readonly #limit: number
  readonly #toStream: (item: Item) => AsyncIterator<Value, void>
  readonly #running = new Set<AsyncIterator<Value, void>>()
  readonly #arrived: Arrival<Value>[] = []
  readonly #put: Value[] = []
  #wake = () => {}

  constructor(
    items: readonly Item[],
    limit: number,
    toStream: (item: Item) => AsyncIterator<Value, void>,
  ) {
    this.#waiting = [...items]
    this.#limit = limit
    this.#toStream = toStream
  }

  /** Adds an item, also during the reading. */
  add(item: Item): void {
    this.#waiting.push(item)
    this.#wake()
  }

  /** Queues a value to yield before any work that has not started. */
  put(value: Value): void {
    this.#put.push(value)
    this.#wake()
  }

  /** Checks for items or values that no reader has taken; they need another reading. */
  isOpen(): boolean {
    return this.#waiting.length > 0 || this.#put.length > 0
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    try {
      for (;;) {
        while (this.#put.length > 0) yield* this.#put.splice(0)
        this.#startWaiting()
        if (this.#running.size === 0) return
        const arrival = this.#arrived.shift()
        if (arrival === undefined) await this.#nextArrival()
        else yield* this.#take(arrival)
      }
    } finally {
      for (const stream of this.#running) void stream.return?.().catch(() => {})
    }
  }

  *#take({ stream, step }: Arrival<Value>): Generator<Value, void> {
    if ('error' in step) {
      this.#running.delete(stream)
      throw step.error
    }
    if (step.done === true) {
      this.#running.delete(stream)
      return
    }
    yield step.value
    this.#ask(stream)
  }

  #startWaiting(): void {
    while (this.#running.size < this.#limit) {
      const item = this.#waiting.shift()
      if (item === undefined) return
      const stream = this.#toStream(item)
      this.#running.add(stream)
      this.#ask(stream)
    }
  }

  #ask(stream: AsyncIterator<Value, void>): void {
    const arrive = (step: Arrival<Value>['step']): void => {
      this.#arrived.push({ stream, step })
      this.#wake()
    }
    stream.next().then(arrive, (error: unknown) => arrive({ error }))
  }

  #nextArrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
