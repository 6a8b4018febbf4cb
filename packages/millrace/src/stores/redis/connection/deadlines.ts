/** A call that is under way. */
export interface Call {
  /** The moment, by the monotonic clock, after which it is given up. */
  readonly deadline: number
  /** Gives it up. */
  expire(): void
}

/** Gives up calls that take too long. All may take equally long, so that one timer watches the oldest of them. */
export interface Deadlines {
  readonly add: (call: Call) => void
  readonly delete: (call: Call) => void
  /** How many calls are under way. */
  readonly count: () => number
}

/** Creates deadlines, which tell when no call is under way any more; a timer for each call would cost a tenth of an append. */
export function createDeadlines(timeoutMs: number, onIdle: () => void): Deadlines {
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
