import { MillraceError } from '../../errors/index.ts'
import { onAbort } from '../../streams/index.ts'

/** Takes a value of a source; returns whether to read on, as a promise if the source must wait. */
export type Consumer<T> = (value: T) => boolean | Promise<boolean>

interface DrainOptions {
  readonly signal: AbortSignal
  /** Time that the source has to end after the signal has aborted. */
  readonly graceMs: number
}

/**
 * Passes all values of a source to a consumer until it stops reading; throws if the source does not end in time after the signal has
 * aborted. A source that hangs is abandoned, and its later values are ignored.
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
  let detach = (): void => {}

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
    detach = onAbort(signal, () => {
      timer = setTimeout(() => {
        isLate = true
        // A value that is being taken is completed.
        if (!isTaking) reject(overdue(graceMs))
      }, graceMs)
    })
  })
  try {
    // One race for all values: one for each would cost more than all their other processing.
    await Promise.race([takeAll(), late])
  } finally {
    clearTimeout(timer)
    detach()
    iterator.return?.().catch(() => {})
  }
}

function overdue(graceMs: number): MillraceError {
  return new MillraceError(
    'internal',
    `The run did not stop within ${graceMs} ms after it was stopped.`,
  )
}
