/** A value that may change faster than it is read. The reader gets the latest one; nothing accumulates. */
interface Latest<Value> extends AsyncIterable<Value> {
  readonly set: (value: Value) => void
  /** Ends the reading after the latest value. */
  readonly close: () => void
}

/** Creates a value that one reader follows until it is closed. */
export function createLatest<Value>(): Latest<Value> {
  let fresh: { readonly value: Value } | undefined
  let isClosed = false
  let wake = () => {}
  return {
    set(value) {
      if (!isClosed) fresh = { value }
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (fresh !== undefined) {
          const { value } = fresh
          fresh = undefined
          yield value
        } else if (isClosed) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
