/** A pending call. */
export interface Call {
  /** Deadline by the monotonic clock. */
  readonly deadline: number
  /** Rejects the call after its deadline. */
  expire(): void
}

/** Expires calls after a timeout. All have the same timeout, so one timer watches the oldest call. */
interface Deadlines {
  readonly add: (call: Call) => void
  readonly delete: (call: Call) => void
  /** Returns the number of pending calls. */
  readonly count: () => number
}

/** Creates deadlines. `onIdle` is called when no call is pending. A timer for each call would cost a tenth of an append. */
export function createDeadlines(timeoutMs: number, onIdle: () => void): Deadlines {
  // A Set keeps the order of starts, which is that of the deadlines.
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
    add: (call) => {
      calls.add(call)
      if (!isArmed) arm(timeoutMs)
    },
    delete: (call) => {
      calls.delete(call)
      if (calls.size === 0) onIdle()
    },
    count: () => calls.size,
  }
}
