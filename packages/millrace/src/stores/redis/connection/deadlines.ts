/** Ends calls that take too long. All may take equally long, so that one timer watches the oldest of them. */
export interface Deadlines {
  /** Does work, or rejects with what `toError` gives when the time is over. */
  run<T>(work: (deadline: number) => Promise<T>, toError: () => Error): Promise<T>
  /** How many calls are under way. */
  count(): number
}

interface Call {
  readonly deadline: number
  expire(): void
}

/** Builds deadlines; a timer for each call would cost a tenth of an append. */
export function createDeadlines(timeoutMs: number): Deadlines {
  // A Set keeps the order in which calls began, which is that of their deadlines.
  const calls = new Set<Call>()
  let isArmed = false

  const arm = (ms: number): void => {
    isArmed = true
    setTimeout(check, ms).unref()
  }

  const check = (): void => {
    isArmed = false
    const now = performance.now()
    for (const call of calls) {
      if (call.deadline > now) return arm(call.deadline - now)
      calls.delete(call)
      call.expire()
    }
  }

  return {
    run: (work, toError) =>
      new Promise((resolve, reject) => {
        const deadline = performance.now() + timeoutMs
        const call: Call = { deadline, expire: () => reject(toError()) }
        calls.add(call)
        if (!isArmed) arm(timeoutMs)
        work(deadline).then(
          (value) => {
            calls.delete(call)
            resolve(value)
          },
          (error: Error) => {
            calls.delete(call)
            reject(error)
          },
        )
      }),
    count: () => calls.size,
  }
}
