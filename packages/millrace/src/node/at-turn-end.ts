import { callApart } from '../streams/index.ts'

let calls: (() => void)[] = []

/** Calls a function at the end of this turn of the event loop, together with all others. */
export function atTurnEnd(call: () => void): void {
  if (calls.push(call) === 1) setImmediate(callAll)
}

function callAll(): void {
  const due = calls
  calls = []
  for (const call of due) callApart(call)
}
