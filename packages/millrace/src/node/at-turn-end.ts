let calls: (() => void)[] = []

/** Calls a function at the end of this turn of the event loop, together with all others. */
export function atTurnEnd(call: () => void): void {
  if (calls.push(call) === 1) setImmediate(callAll)
}

function callAll(): void {
  const due = calls
  calls = []
  for (const call of due) {
    try {
      call()
    } catch (error) {
      // Nobody catches it, as if it had been called alone; the others are not to suffer for it.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
