import { MillraceError } from '../errors/index.ts'

/** When to stop waiting for a source. */
export interface EndInTimeOptions {
  readonly signal: AbortSignal
  /** How long the source may take to end by itself once the signal has aborted. */
  readonly graceMs: number
}

/**
 * Passes on what a source yields; throws if the source, told to stop by the signal, does not end in time. A
 * source that hangs is left behind.
 */
export async function* endInTime<T>(
  source: AsyncIterable<T>,
  { signal, graceMs }: EndInTimeOptions,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let giveUp = (): void => {}
  let isLate = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const startTimer = (): void => {
    timer = setTimeout(() => {
      isLate = true
      giveUp()
    }, graceMs)
  }
  if (signal.aborted) startTimer()
  else signal.addEventListener('abort', startTimer, { once: true })
  try {
    for (;;) {
      if (isLate) throw overdue(graceMs)
      // One promise a step: racing against a promise that outlives them all would keep every step alive.
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        giveUp = () => reject(overdue(graceMs))
        iterator.next().then(resolve, reject)
      })
      if (step.done === true) return
      yield step.value
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', startTimer)
    iterator.return?.().catch(() => {})
  }
}

function overdue(graceMs: number): MillraceError {
  return new MillraceError(
    'internal',
    `The run did not stop within ${graceMs} ms of being told to.`,
  )
}
