import { onAbort } from '../streams/index.ts'

/**
 * Reads a source until `graceMs` after the abort of the signal: a source that heeds the signal can end its message, another is abandoned.
 * A hand-written iterator, because a generator around a stream of tokens costs as much as all their other processing.
 */
export function untilAborted<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
  graceMs: number,
): AsyncIterableIterator<Item, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLeft = false
  let leave = () => {}
  const detach = onAbort(signal, () => {
    timer = setTimeout(() => {
      isLeft = true
      leave()
    }, graceMs)
  })

  function forget(): void {
    clearTimeout(timer)
    detach()
  }

  async function close(): Promise<{ done: true; value: undefined }> {
    forget()
    const closed = iterator.return?.().catch(() => {})
    // An abandoned source may never answer.
    if (!isLeft) await closed
    return { done: true, value: undefined }
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () =>
      new Promise((resolve, reject) => {
        leave = () => resolve(close())
        if (isLeft) return leave()
        iterator.next().then(
          (step) => resolve(step.done === true ? close() : step),
          (error: unknown) => {
            // A source that failed needs no closing.
            forget()
            reject(error)
          },
        )
      }),
    return: close,
  }
}
