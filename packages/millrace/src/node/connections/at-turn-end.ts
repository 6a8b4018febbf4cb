import { callApart, inFreeTurn } from '../../streams/index.ts'

/**
 * Maximum duration of consecutive calls. Node accepts one connection in each turn of the event loop, so with many
 * readers the length of a turn decides how long a health check waits behind other new connections.
 */
const turnMs = 2

let due: readonly (() => void)[] = []
let position = 0
let calls: (() => void)[] = []
let isScheduled = false

/** Calls a function at the end of this turn of the event loop, together with others, or in a later turn. */
export function atTurnEnd(call: () => void): void {
  calls.push(call)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  inFreeTurn(callSome)
}

function callSome(): void {
  isScheduled = false
  if (position === due.length) {
    due = calls
    calls = []
    position = 0
  }
  const endsAt = performance.now() + turnMs
  while (position < due.length) {
    const call = due[position++]
    if (call !== undefined) callApart(call)
    if (performance.now() >= endsAt) break
  }
  // Called functions are released at once.
  if (position === due.length) due = []
  if (due.length === 0) position = 0
  if (due.length > 0 || calls.length > 0) schedule()
}
