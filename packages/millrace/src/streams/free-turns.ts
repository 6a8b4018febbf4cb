/** Turns of the event loop in a row that others may take. */
const maxHeldTurns = 50

let holds = 0

const soon = (call: () => void): void => {
  // Where there is `setImmediate`, a turn costs no delay.
  if (typeof setImmediate === 'function') setImmediate(call)
  else setTimeout(call, 0)
}

/**
 * Leaves this turn of the event loop and the next one to new connections. Node accepts one connection a turn, so
 * whatever else is done in a turn delays all that wait to be accepted.
 */
export function holdTurns(): void {
  holds++
  soon(() => soon(() => holds--))
}

/** Calls back in the next turn of the event loop that is not held, or after 50 of them. */
export function inFreeTurn(call: () => void, heldTurns = 0): void {
  soon(() => {
    if (holds > 0 && heldTurns < maxHeldTurns) inFreeTurn(call, heldTurns + 1)
    else call()
  })
}
