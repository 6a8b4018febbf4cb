import { MillraceError } from '../../errors/index.ts'

/** Takes a value of a source; tells whether more is wanted, by a promise if the source has to wait. */
export type Consumer<T> = (value: T) => boolean | Promise<boolean>

/** When to stop waiting for a source. */
export interface DrainOptions {
  readonly signal: AbortSignal
  /** How long the source may take to end by itself once the signal has aborted. */
  readonly graceMs: number
}

/**
 * Has all that a source yields taken, as long as more is wanted; throws if the source, told to stop by the signal,
 * does not end in time. A source that hangs is left behind, and nothing of it is taken any more.
 */
export async function drainWithDeadline<T>(
  source: AsyncIterable<T>,
  take: Consumer<T>,
  { signal, graceMs }: DrainOptions,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]()
  let isTaking = false
  let isLate = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let startTimer = (): void => {}

  const takeAll = async (): Promise<void> => {
    while (!isLate) {
      const step = await iterator.next()
      if (step.done === true || isLate) return
      const isWanted = take(step.value)
      if (isWanted === true) continue
      isTaking = true
      if (!(await isWanted)) return
      isTaking = false
    }
    throw overdue(graceMs)
  }

  const late = new Promise<never>((_, reject) => {
    startTimer = () => {
      timer = setTimeout(() => {
        isLate = true
        // What is being taken is not cut short.
        if (!isTaking) reject(overdue(graceMs))
      }, graceMs)
    }
  })
  if (signal.aborted) startTimer()
  else signal.addEventListener('abort', startTimer, { once: true })
  try {
    // One race for all values: one for each would cost more than all else that is done with it.
    await Promise.race([takeAll(), late])
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
