/**
 * Reads a source to its end, but no longer than `graceMs` after the signal has aborted: a source that heeds
 * the signal can say its last word, one that does not is left behind.
 */
export async function* untilAborted<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
  graceMs: number,
): AsyncGenerator<Item, void, undefined> {
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
  try {
    while (!isLeft) {
      const step = await new Promise<IteratorResult<Item> | undefined>((resolve, reject) => {
        leave = () => resolve(undefined)
        iterator.next().then(resolve, reject)
      })
      if (step === undefined || step.done === true) return
      yield step.value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    const closed = iterator.return?.().catch(() => {})
    // A source that was left behind may never answer.
    if (!isLeft) await closed
  }
}
