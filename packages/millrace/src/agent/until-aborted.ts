/**
 * Reads a source to its end, but no longer than `graceMs` after the signal has aborted: a source that heeds
 * the signal can say its last word, one that does not is left behind. An iterator by hand, because a generator
 * around a stream of tokens costs as much as all else that happens to them.
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
  const onAbort = () => {
    timer = setTimeout(() => {
      isLeft = true
      leave()
    }, graceMs)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  function forget(): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }

  async function close(): Promise<{ done: true; value: undefined }> {
    forget()
    const closed = iterator.return?.().catch(() => {})
    // A source that was left behind may never answer.
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
            // Nobody closes a source that broke.
            forget()
            reject(error)
          },
        )
      }),
    return: close,
  }
}
