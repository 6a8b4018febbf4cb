let calls: (() => void)[] = []

/** Calls a function, which must not throw, at the end of this turn of the event loop, together with all others. */
export function atTurnEnd(call: () => void): void {
  if (calls.push(call) === 1) setImmediate(callAll)
}

function callAll(): void {
  const due = calls
  calls = []
  for (const call of due) call()
}
